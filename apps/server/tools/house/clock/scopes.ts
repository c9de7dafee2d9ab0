import { dirname, join } from 'node:path';
import type { Node } from 'oxc-parser';
import type { ParsedFile } from '../read-files.ts';
import type { Flow } from './kinds.ts';
import { NOTHING } from './kinds.ts';
import type { FunctionNode } from './tree.ts';
import { childrenOf, isFunction } from './tree.ts';

/** Which declaration a name refers to. */

export type Binding = {
  /** What the variable or parameter holds. */
  value: Flow;
  /** The function that the name was declared with. */
  declared: FunctionNode | undefined;
  initial: Node | undefined;
  /** Import from another file, as path and name. */
  imported: { from: string; name: string } | undefined;
};

type Scope = { names: Map<string, Binding>; outer: Scope | undefined };

export type Scopes = { find(identifier: Node): Binding | undefined; exported(name: string): Binding | undefined };

const NEW_SCOPE = new Set([
  'Program',
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'BlockStatement',
  'ForStatement',
  'ForOfStatement',
  'ForInStatement',
  'CatchClause',
]);

const newBinding = (): Binding => ({ value: NOTHING, declared: undefined, initial: undefined, imported: undefined });

function namesOfPattern(pattern: Node): string[] {
  if (pattern.type === 'Identifier') return [pattern.name];
  if (pattern.type === 'AssignmentPattern') return namesOfPattern(pattern.left);
  if (pattern.type === 'RestElement') return namesOfPattern(pattern.argument);
  if (pattern.type === 'ArrayPattern')
    return pattern.elements.flatMap((element) => (element === null ? [] : namesOfPattern(element)));
  if (pattern.type === 'ObjectPattern')
    return pattern.properties.flatMap((one) => namesOfPattern(one.type === 'Property' ? one.value : one));
  return [];
}

function declareImports(node: Node, path: string, scope: Scope): void {
  if (node.type !== 'ImportDeclaration') return;
  const source = node.source.value;
  const from = source.startsWith('.') ? join(dirname(path), source) : source;
  for (const specifier of node.specifiers) {
    const name =
      specifier.type === 'ImportSpecifier' && specifier.imported.type === 'Identifier' ? specifier.imported.name : '*';
    scope.names.set(specifier.local.name, { ...newBinding(), imported: { from, name } });
  }
}

function declare(node: Node, path: string, scope: Scope): void {
  declareImports(node, path, scope);
  if (node.type === 'FunctionDeclaration' && node.id)
    scope.names.set(node.id.name, { ...newBinding(), declared: node });
  if (node.type !== 'VariableDeclarator') return;
  const initial = node.init ?? undefined;
  const declared = initial && isFunction(initial) ? initial : undefined;
  for (const name of namesOfPattern(node.id)) scope.names.set(name, { ...newBinding(), declared, initial });
}

export function findScopes({ path, program }: ParsedFile): Scopes {
  const scopeOf = new Map<Node, Scope>();
  const top: Scope = { names: new Map(), outer: undefined };
  const visit = (node: Node, outer: Scope) => {
    declare(node, path, outer);
    const isNew = NEW_SCOPE.has(node.type) && node.type !== 'Program';
    const scope = isNew ? { names: new Map<string, Binding>(), outer } : outer;
    if (isFunction(node)) for (const name of node.params.flatMap(namesOfPattern)) scope.names.set(name, newBinding());
    if (node.type === 'Identifier') scopeOf.set(node, scope);
    for (const child of childrenOf(node)) visit(child, scope);
  };
  visit(program, top);
  return {
    find: (identifier) => {
      if (identifier.type !== 'Identifier') return undefined;
      for (let scope = scopeOf.get(identifier); scope; scope = scope.outer) {
        const found = scope.names.get(identifier.name);
        if (found) return found;
      }
      return undefined;
    },
    exported: (name) => top.names.get(name),
  };
}
