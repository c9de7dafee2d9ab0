import type { ArrowFunctionExpression, Function, Node } from 'oxc-parser';
import { visitorKeys } from 'oxc-parser';

/** Walks syntax trees and reads names in them. Types are skipped. */

const TYPES = new Set([
  'TSTypeAnnotation',
  'TSTypeAliasDeclaration',
  'TSInterfaceDeclaration',
  'TSTypeParameterInstantiation',
]);

type Children = Record<string, Node | null | undefined | readonly (Node | null)[]>;

export function childrenOf(node: Node): Node[] {
  const fields = node as unknown as Children;
  const children: Node[] = [];
  for (const key of visitorKeys[node.type] ?? []) {
    const field = fields[key];
    if (!field) continue;
    if (!('length' in field)) children.push(field);
    else for (const one of field) if (one) children.push(one);
  }
  // Types are erased before anything runs.
  return children.filter(({ type }) => !TYPES.has(type));
}

/** Visits a node and everything below it; `parents` are its ancestors, nearest last. */
export function walk(node: Node, enter: (node: Node, parents: readonly Node[]) => void): void {
  const parents: Node[] = [];
  const visit = (at: Node) => {
    enter(at, parents);
    parents.push(at);
    for (const child of childrenOf(at)) visit(child);
    parents.pop();
  };
  visit(node);
}

export type FunctionNode = ArrowFunctionExpression | Function;

export const isFunction = (node: Node): node is FunctionNode =>
  node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression';

const WRAPPERS = new Set([
  'TSAsExpression',
  'TSNonNullExpression',
  'TSSatisfiesExpression',
  'TSTypeAssertion',
  'ParenthesizedExpression',
  'ChainExpression',
]);

/** The expression inside of casts, parentheses and `await`. */
export function bare(node: Node): Node {
  if (node.type === 'AwaitExpression') return bare(node.argument);
  return WRAPPERS.has(node.type) && 'expression' in node ? bare(node.expression as Node) : node;
}

/** Name of a property as it is written, `undefined` for calculated ones. */
export function keyName(key: Node, isComputed: boolean): string | undefined {
  if (key.type === 'Literal' && typeof key.value === 'string') return key.value;
  return key.type === 'Identifier' && !isComputed ? key.name : undefined;
}

/** Dotted name of an identifier or of members of one, such as `process.hrtime.bigint`. */
export function dotted(node: Node): string {
  const inner = bare(node);
  if (inner.type === 'Identifier') return inner.name;
  if (inner.type !== 'MemberExpression') return '';
  const name = keyName(inner.property, inner.computed);
  const object = dotted(inner.object);
  return name === undefined || object === '' ? '' : `${object}.${name}`;
}

/** Last part of a name: `at` of `row.at`. */
export function lastName(node: Node): string {
  const inner = bare(node);
  if (inner.type === 'Identifier') return inner.name;
  return inner.type === 'MemberExpression' ? (keyName(inner.property, inner.computed) ?? '') : '';
}
