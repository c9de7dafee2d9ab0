import type { Node } from 'oxc-parser';
import type { ParsedFile } from '../read-files.ts';
import type { Flow } from './kinds.ts';
import { bothWays, combine, join, kept, kindOf, NOTHING } from './kinds.ts';
import type { Binding, Scopes } from './scopes.ts';
import { findScopes } from './scopes.ts';
import type { FunctionNode } from './tree.ts';
import { bare, dotted, isFunction, keyName, lastName } from './tree.ts';

/** Facts about files that are read together: values of names, properties and functions. */

export type KnownFile = {
  file: ParsedFile;
  scopes: Scopes;
  /** Properties that hold a time, by name on any object. */
  properties: Map<string, Flow>;
  /** Paths of the files that this one imports. */
  imports: readonly string[];
};

export type Place = { knowledge: Knowledge; at: KnownFile };

export type Knowledge = { files: ReadonlyMap<string, KnownFile>; returns: Map<FunctionNode, Flow> };

const READS = new Set([
  'Date.now',
  'performance.now',
  'process.hrtime',
  'process.hrtime.bigint',
  'process.uptime',
  'systemClock.nowMs',
  'steadyClock.nowMs',
]);
/** Functions whose result is a time where an argument is one. */
const CONVERSIONS = /^(Math\.\w+|Number|BigInt|parseFloat|Promise\.all|unixSeconds|dateFromUnix)$/;
/** Methods whose result is a time where their object is one. */
const METHODS = new Set(
  'getTime valueOf at slice filter find findLast toSorted sort toReversed reduce concat flat pop shift then'.split(' '),
);
const TIME_NAME =
  /(^|[a-z_])(at|At|AtMs|atMs|[Ss]ince(Ms)?|[Ff]rom(Ms)?|[Ss]tart(ed)?(Ms)?|[Tt]imestamp|[Tt]ime|created|[Bb]efore)$/;
/** Durations that the product measures and reports. */
const MEASURED_NAME = /^(duration|elapsed|latency|took)(_ms|Ms|_seconds|Seconds)$/;
const MEASURED: Flow = { sure: 'elapsed', given: 'none' };
const DIRECT: Flow = { sure: 'now', given: 'none' };

function importsOf({ program }: ParsedFile, scopes: Scopes): string[] {
  return program.body.flatMap((statement) => {
    if (statement.type !== 'ImportDeclaration') return [];
    return statement.specifiers.flatMap(({ local }) => scopes.exported(local.name)?.imported?.from ?? []);
  });
}

export function knowFiles(files: readonly ParsedFile[]): Knowledge {
  const known = files.map((file): [string, KnownFile] => {
    const scopes = findScopes(file);
    return [file.path, { file, scopes, properties: new Map(), imports: [...new Set(importsOf(file, scopes))] }];
  });
  return { files: new Map(known), returns: new Map() };
}

/** The declaration behind a name, in whichever of the files it is. */
export function findBinding(knowledge: Knowledge, at: KnownFile, identifier: Node): Binding | undefined {
  const found = at.scopes.find(identifier);
  if (!found?.imported) return found;
  return knowledge.files.get(found.imported.from)?.scopes.exported(found.imported.name) ?? found;
}

export function readProperty(knowledge: Knowledge, at: KnownFile, name: string): Flow {
  if (MEASURED_NAME.test(name)) return MEASURED;
  const places = [at, ...at.imports.map((path) => knowledge.files.get(path))];
  return join(places.map((place) => place?.properties.get(name) ?? NOTHING));
}

export function returnsOf({ returns }: Knowledge, node: FunctionNode): Flow {
  return returns.get(node) ?? NOTHING;
}

function evaluateCall(knowledge: Knowledge, at: KnownFile, node: Extract<Node, { type: 'CallExpression' }>): Flow {
  const name = dotted(node.callee);
  if (READS.has(name)) return DIRECT;
  const given = () => join(node.arguments.map((argument) => evaluate(knowledge, at, argument)));
  if (name === 'Math.abs') return bothWays(given());
  if (CONVERSIONS.test(name)) return given();
  const callee = bare(node.callee);
  if (callee.type === 'Identifier') {
    const binding = findBinding(knowledge, at, callee);
    if (!binding) return NOTHING;
    if (!binding.declared) return kindOf(binding.value) === 'none' ? NOTHING : DIRECT;
    const returned = returnsOf(knowledge, binding.declared);
    if (returned.given === 'none') return returned;
    const { sure, given: perhaps } = given();
    if (sure !== 'none') return join([returned, { sure: returned.given, given: 'none' }]);
    return { sure: returned.sure, given: perhaps === 'none' ? 'none' : returned.given };
  }
  if (callee.type !== 'MemberExpression') return NOTHING;
  const method = keyName(callee.property, callee.computed) ?? '';
  const [callback] = node.arguments;
  if (['map', 'flatMap', 'then'].includes(method) && callback && isFunction(callback))
    return returnsOf(knowledge, callback);
  if (METHODS.has(method)) return evaluate(knowledge, at, callee.object);
  const held = evaluate(knowledge, at, callee);
  return kindOf(held) === 'none' ? NOTHING : held;
}

function evaluateMember(knowledge: Knowledge, at: KnownFile, node: Extract<Node, { type: 'MemberExpression' }>): Flow {
  if (READS.has(dotted(node))) return DIRECT;
  const name = keyName(node.property, node.computed);
  return name === undefined ? evaluate(knowledge, at, node.object) : readProperty(knowledge, at, name);
}

/** Parts of an expression whose strongest time is that of the whole. */
function partsOf(node: Node): readonly (Node | null)[] {
  if (node.type === 'LogicalExpression') return [node.left, node.right];
  if (node.type === 'ConditionalExpression') return [node.consequent, node.alternate];
  if (node.type === 'AssignmentExpression') return [node.right];
  if (node.type === 'SpreadElement') return [node.argument];
  if (node.type === 'UnaryExpression') return ['-', '+'].includes(node.operator) ? [node.argument] : [];
  return node.type === 'ArrayExpression' ? node.elements : [];
}

/** What an expression has to do with the clock, as far as is known. */
export function evaluate(knowledge: Knowledge, at: KnownFile, expression: Node): Flow {
  const node = bare(expression);
  const one = (part: Node) => evaluate(knowledge, at, part);
  if (node.type === 'Identifier') return findBinding(knowledge, at, node)?.value ?? NOTHING;
  if (node.type === 'CallExpression') return evaluateCall(knowledge, at, node);
  if (node.type === 'MemberExpression') return evaluateMember(knowledge, at, node);
  if (node.type === 'NewExpression') {
    if (dotted(node.callee) !== 'Date') return NOTHING;
    return node.arguments.length === 0 ? DIRECT : join(node.arguments.map(one));
  }
  if (node.type === 'BinaryExpression') {
    const [left, right] = [one(node.left), one(node.right)];
    const other = kindOf(left) === 'none' ? node.left : node.right;
    return combine(node.operator, left, right, TIME_NAME.test(lastName(other)));
  }
  const parts = join(partsOf(node).map((part) => (part === null ? NOTHING : one(part))));
  return node.type === 'ArrayExpression' ? kept(parts) : parts;
}
