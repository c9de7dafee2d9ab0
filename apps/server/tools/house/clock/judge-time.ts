import type { Node } from 'oxc-parser';
import type { Place } from './flow.ts';
import { evaluate, findBinding, returnsOf } from './flow.ts';
import type { Kind } from './kinds.ts';
import { isReading, kindOf, strongest } from './kinds.ts';
import { bare, dotted, isFunction, keyName, lastName } from './tree.ts';

/** Finds places where the machine's clock decides: upper bounds on elapsed time, and choices by the date. */

export type Fault = { node: Node; rule: string };

const UPPER = 'upper bound on elapsed time';
const LOOP = 'loop until a deadline: use waitUntil or expect.poll';
const EXACT = 'exact value of an elapsed time';
const DATE = 'choice by the date';

const COMPARISONS = new Set(['<', '<=', '>', '>=', '===', '!==']);
const LOWER_MATCHERS = new Set(['toBeGreaterThan', 'toBeGreaterThanOrEqual']);
const UPPER_MATCHERS = new Set(['toBeLessThan', 'toBeLessThanOrEqual']);
/** Matchers that say nothing about the size of a number. */
const OTHER_MATCHERS = new Set(['toBeDefined', 'toBeUndefined', 'toBeNull', 'toBeTypeOf', 'toBeInstanceOf', 'toBeNaN']);
const RANGE_HELPER = /between|within|inRange|atMost|notLater|faster/i;
const DATE_PARTS = /^get(UTC)?(Day|Date|Hours|Minutes|Seconds|Milliseconds|Month|FullYear)$/;
const LOOPS = new Set(['WhileStatement', 'DoWhileStatement', 'ForStatement']);

const kindAt = ({ knowledge, at }: Place, node: Node): Kind => kindOf(evaluate(knowledge, at, node));

/** The strongest kind in a value, also inside of the objects and arrays that are written out in it. */
function deepKind(place: Place, node: Node): Kind {
  const inner = bare(node);
  if (inner.type === 'ArrayExpression')
    return strongest(...inner.elements.map((one) => (one === null ? 'none' : deepKind(place, one))));
  if (inner.type === 'ObjectExpression')
    return strongest(...inner.properties.map((one) => (one.type === 'Property' ? deepKind(place, one.value) : 'none')));
  if (isFunction(inner)) return kindOf(returnsOf(place.knowledge, inner));
  return kindAt(place, inner);
}

function judgeComparison(
  place: Place,
  node: Extract<Node, { type: 'BinaryExpression' }>,
  parents: readonly Node[],
): Fault[] {
  const kinds = [kindAt(place, node.left), kindAt(place, node.right)];
  const isExact = node.operator.endsWith('==');
  const around = parents.slice(parents.findLastIndex(isFunction) + 1);
  const isLoop = around.some(({ type }) => LOOPS.has(type));
  const isLate = kinds.some((kind) => ['past', 'span', 'deadline', 'remaining', 'elapsed'].includes(kind));
  const isTest = around.some((one) => LOOPS.has(one.type) && 'test' in one && one.test === node);
  if (isExact) return kinds.some((kind) => ['elapsed', 'remaining'].includes(kind)) ? [{ node, rule: EXACT }] : [];
  if (isLate) return [{ node, rule: isLoop ? LOOP : UPPER }];
  return isTest && kinds.includes('now') ? [{ node, rule: LOOP }] : [];
}

type Expectation = { matcher: string; isNot: boolean; subject: Node | undefined; expected: Node | undefined };

/** `expect(subject).not.matcher(expected)`, with `expect.poll` and `.resolves` too. */
function readExpectation(node: Extract<Node, { type: 'CallExpression' }>): Expectation | undefined {
  const { callee } = node;
  if (callee.type !== 'MemberExpression') return undefined;
  let [object, isNot]: [Node, boolean] = [callee.object, false];
  while (object.type === 'MemberExpression') {
    if (lastName(object) === 'not') isNot = true;
    object = object.object;
  }
  if (object.type !== 'CallExpression' || !/^(expect|expect\.(poll|soft)|assert)$/.test(dotted(object.callee)))
    return undefined;
  return { matcher: lastName(callee), isNot, subject: object.arguments[0], expected: node.arguments[0] };
}

function judgeExpectation(place: Place, node: Node, expectation: Expectation): Fault[] {
  const { matcher, isNot, subject, expected } = expectation;
  const [found, limit] = [subject, expected].map((one): Kind => (one ? deepKind(place, one) : 'none'));
  if (found === undefined || limit === undefined || OTHER_MATCHERS.has(matcher)) return [];
  if (matcher === 'toBeCloseTo') return found !== 'none' || limit !== 'none' ? [{ node, rule: UPPER }] : [];
  if (!LOWER_MATCHERS.has(matcher) && !UPPER_MATCHERS.has(matcher)) {
    const isExact = ['elapsed', 'remaining'].includes(found) || ['elapsed', 'remaining', 'now'].includes(limit);
    return isExact ? [{ node, rule: EXACT }] : [];
  }
  const [lesser, greater] = UPPER_MATCHERS.has(matcher) === isNot ? [limit, found] : [found, limit];
  const isUpper = ['elapsed', 'past', 'now', 'span'].includes(lesser) || ['deadline', 'remaining'].includes(greater);
  return isUpper ? [{ node, rule: UPPER }] : [];
}

/** Parts of a date from which another date is made choose nothing. */
const makesDate = (node: Node) =>
  (node.type === 'CallExpression' && dotted(node.callee) === 'Date.UTC') ||
  (node.type === 'NewExpression' && dotted(node.callee) === 'Date');

function judgeCall(place: Place, node: Extract<Node, { type: 'CallExpression' }>, parents: readonly Node[]): Fault[] {
  const expectation = readExpectation(node);
  if (expectation) return judgeExpectation(place, node, expectation);
  const name = lastName(node.callee);
  const callee = bare(node.callee);
  if (callee.type === 'MemberExpression' && DATE_PARTS.test(name))
    return isReading(kindAt(place, callee.object)) && !parents.some(makesDate) ? [{ node, rule: DATE }] : [];
  const kinds = node.arguments.map((argument) => kindAt(place, argument));
  if (/seed/i.test(name) && kinds.some((kind) => kind !== 'none')) return [{ node, rule: DATE }];
  const isKnown = findBinding(place.knowledge, place.at, callee)?.declared !== undefined;
  return !isKnown && RANGE_HELPER.test(name) && kinds.includes('elapsed') ? [{ node, rule: UPPER }] : [];
}

export function judgeTime(place: Place, node: Node, parents: readonly Node[]): Fault[] {
  if (node.type === 'CallExpression') return judgeCall(place, node, parents);
  if (node.type === 'BinaryExpression') {
    if (COMPARISONS.has(node.operator)) return judgeComparison(place, node, parents);
    return node.operator === '%' && isReading(kindAt(place, node.left)) ? [{ node, rule: DATE }] : [];
  }
  if (node.type === 'MemberExpression')
    return node.computed && isReading(kindAt(place, node.property)) ? [{ node, rule: DATE }] : [];
  if (node.type !== 'Property' || parents.at(-1)?.type !== 'ObjectExpression') return [];
  const isSeed = /seed/i.test(keyName(node.key, node.computed) ?? '');
  return isSeed && kindAt(place, node.value) !== 'none' ? [{ node, rule: DATE }] : [];
}
