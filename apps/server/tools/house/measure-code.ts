import { dirname, join } from 'node:path';
import type { Node } from 'oxc-parser';
import { Visitor } from 'oxc-parser';
import type { ParsedFile } from './read-files.ts';
import { lineAt } from './read-files.ts';

/** Measures of one file, and across files. */

export type MeasuredFunction = { path: string; line: number; lines: number };

type WithBody = Node & { body?: { type: string } | null };

/**
 * Functions with a block: an arrow function that only returns an expression counts as part of the function around it.
 */
export function measureFunctions({ path, text, program }: ParsedFile): MeasuredFunction[] {
  const found: MeasuredFunction[] = [];
  const note = (node: WithBody) => {
    if (node.body?.type !== 'BlockStatement') return;
    const line = lineAt(text, node.start);
    found.push({ path, line, lines: lineAt(text, node.end) - line + 1 });
  };
  new Visitor({ FunctionDeclaration: note, FunctionExpression: note, ArrowFunctionExpression: note }).visit(program);
  return found;
}

/** Type assertions, which the compiler accepts without proof. `as const` asserts nothing. */
export function countCasts({ text, program }: ParsedFile): number {
  let casts = 0;
  new Visitor({
    TSAsExpression: ({ typeAnnotation }) => {
      if (text.slice(typeAnnotation.start, typeAnnotation.end) !== 'const') casts += 1;
    },
    TSTypeAssertion: () => {
      casts += 1;
    },
    TSNonNullExpression: () => {
      casts += 1;
    },
  }).visit(program);
  return casts;
}

export function countCommentLines({ text, comments }: ParsedFile): number {
  return comments.reduce((sum, { start, end }) => sum + lineAt(text, end) - lineAt(text, start) + 1, 0);
}

function namesOf(declaration: Node): string[] {
  if (declaration.type === 'VariableDeclaration')
    return declaration.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []));
  if ('id' in declaration && declaration.id?.type === 'Identifier') return [declaration.id.name];
  return [];
}

function exportsOf({ program }: ParsedFile): string[] {
  return program.body.flatMap((statement) =>
    statement.type === 'ExportNamedDeclaration' && statement.declaration ? namesOf(statement.declaration) : [],
  );
}

function importsOf({ path, program }: ParsedFile): string[] {
  return program.body.flatMap((statement) => {
    if (statement.type !== 'ImportDeclaration' || !statement.source.value.startsWith('.')) return [];
    const from = join(dirname(path), statement.source.value);
    return statement.specifiers.map((one) => {
      if (one.type === 'ImportSpecifier' && one.imported.type === 'Identifier') return `${from} ${one.imported.name}`;
      return `${from} *`;
    });
  });
}

/** Names that `files` export and no file of `all` imports, as `path name`. */
export function findUnusedExports(files: readonly ParsedFile[], all: readonly ParsedFile[]): string[] {
  const imported = new Set(all.flatMap(importsOf));
  return files
    .filter(({ path }) => !imported.has(`${path} *`))
    .flatMap((file) => exportsOf(file).map((name) => `${file.path} ${name}`))
    .filter((name) => !imported.has(name));
}
