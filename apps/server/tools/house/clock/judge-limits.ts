import type { Node } from 'oxc-parser';
import type { Place } from './flow.ts';
import { findBinding } from './flow.ts';
import type { Fault } from './judge-time.ts';
import { bare, dotted, isFunction, keyName, lastName, walk } from './tree.ts';

/** Finds limits so short that a slow machine reaches them: a limit bounds a hang and asserts nothing. */

export const LEAST_TEST_MS = 120_000;
export const LEAST_POLL_MS = 60_000;

const POLLS = /^(expect\.poll|vi\.waitFor|vi\.waitUntil|waitUntil|holdsInTime)$/;
/** Their own limit is one second, regardless of the configuration. */
const IMPATIENT = /^vi\./;
const TESTS = /^(test|it|describe|suite)\b/;
const HOOKS = /^(before|after)(All|Each)$/;
/** Limits of rigs and demonstrations, by their names. */
const LIMIT_NAME = /^(START|STOP|END|DEATH|READY|MAX_WAIT|LONGEST)(S?_\w+)?_MS$/;

/** The value of a number that is written in the files, `undefined` where it is not known before they run. */
export function numberOf(place: Place, expression: Node): number | undefined {
  const node = bare(expression);
  if (node.type === 'Literal') return typeof node.value === 'number' ? node.value : undefined;
  if (node.type === 'Identifier') {
    const { initial } = findBinding(place.knowledge, place.at, node) ?? {};
    return initial && numberOf(place, initial);
  }
  if (node.type === 'MemberExpression') {
    const value = propertyOf(place, node.object, keyName(node.property, node.computed) ?? '');
    return value && numberOf(place, value);
  }
  // Rough modes stretch limits and never shorten them.
  if (node.type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === 'hangLimitMs') {
    const [limit] = node.arguments;
    return limit && numberOf(place, limit);
  }
  const pair = (left: Node, right: Node) => [numberOf(place, left), numberOf(place, right)] as const;
  if (node.type === 'ConditionalExpression') {
    const [left, right] = pair(node.consequent, node.alternate);
    return left === undefined || right === undefined ? (left ?? right) : Math.min(left, right);
  }
  if (node.type !== 'BinaryExpression') return undefined;
  const [left, right] = pair(node.left, node.right);
  if (left === undefined || right === undefined) return undefined;
  return { '*': left * right, '+': left + right, '-': left - right, '/': left / right }[node.operator as string];
}

/** A property of an object that is written out, behind names and spreads too. */
export function propertyOf(place: Place, expression: Node, name: string): Node | undefined {
  const node = bare(expression);
  if (node.type === 'Identifier') {
    const { initial } = findBinding(place.knowledge, place.at, node) ?? {};
    return initial && !isFunction(initial) ? propertyOf(place, initial, name) : undefined;
  }
  if (node.type !== 'ObjectExpression') return undefined;
  let found: Node | undefined;
  for (const one of node.properties) {
    if (one.type === 'SpreadElement') found = propertyOf(place, one.argument, name) ?? found;
    else if (keyName(one.key, one.computed) === name) found = one.value;
  }
  return found;
}

function limitOf(place: Place, options: Node): number | undefined {
  const value = propertyOf(place, options, 'timeout') ?? propertyOf(place, options, 'timeoutMs');
  return value ? numberOf(place, value) : numberOf(place, options);
}

const shorter = (node: Node, ms: number | undefined, leastMs: number, what: string): Fault[] =>
  ms !== undefined && ms < leastMs ? [{ node, rule: `${what} below ${leastMs / 1_000} s` }] : [];

/** Options of a wait, whose limit is judged where it is written. */
const isWait = (place: Place, options: Node) =>
  ['interval', 'pollMs', 'what'].some((name) => propertyOf(place, options, name) !== undefined);

function judgeCall(place: Place, node: Extract<Node, { type: 'CallExpression' }>): Fault[] {
  const name = dotted(node.callee);
  if (POLLS.test(name)) {
    const options = node.arguments[1];
    if (options)
      return isWait(place, options) ? [] : shorter(node, limitOf(place, options), LEAST_POLL_MS, 'limit of a wait');
    return IMPATIENT.test(name) ? [{ node, rule: `${name} waits for a second at most: use expect.poll` }] : [];
  }
  if (name === 'AbortSignal.timeout' && node.arguments[0])
    return shorter(node, numberOf(place, node.arguments[0]), LEAST_POLL_MS, 'AbortSignal.timeout');
  const callee = bare(node.callee);
  if (callee.type === 'MemberExpression' && lastName(callee) === 'waitFor' && node.arguments[0])
    return shorter(node, limitOf(place, node.arguments[0]), LEAST_POLL_MS, 'limit of a wait');
  const root = dotted(callee.type === 'CallExpression' ? callee.callee : callee);
  if (!TESTS.test(root) && !HOOKS.test(root)) return [];
  return node.arguments.flatMap((argument) =>
    shorter(argument, limitOf(place, argument), LEAST_TEST_MS, 'limit of a test'),
  );
}

/** A timer beside a promise decides which of the two comes first. */
function judgeRace(place: Place, node: Extract<Node, { type: 'CallExpression' }>): Fault[] {
  const faults: Fault[] = [];
  for (const argument of node.arguments)
    walk(argument, (one) => {
      if (one.type !== 'CallExpression' || !/^(wait|sleep|delay|setTimeout|pause)$/.test(lastName(one.callee))) return;
      const ms = one.arguments.map((each) => numberOf(place, each)).find((each) => each !== undefined);
      faults.push(...shorter(one, ms, LEAST_POLL_MS, 'timer in a race'));
    });
  return faults;
}

export function judgeLimits(place: Place, node: Node): Fault[] {
  if (node.type === 'CallExpression')
    return dotted(node.callee) === 'Promise.race' ? judgeRace(place, node) : judgeCall(place, node);
  if (node.type === 'ObjectExpression') {
    const own = node.properties.find((one) => one.type === 'Property' && /^timeout(Ms)?$/.test(lastName(one.key)));
    return own && isWait(place, node) ? shorter(own, limitOf(place, node), LEAST_POLL_MS, 'limit of a wait') : [];
  }
  const isLimit = node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && LIMIT_NAME.test(node.id.name);
  if (!isLimit || !node.init || !/\/(rig|demo)\//.test(place.at.file.path)) return [];
  return shorter(node, numberOf(place, node.init), LEAST_TEST_MS, 'limit of a rig');
}
