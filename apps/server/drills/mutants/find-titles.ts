import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Node } from 'oxc-parser';
import { parseSync, Visitor } from 'oxc-parser';

/**
 * Finds the tests of a suite by its syntax, without loading it. A title that `test.each` or a loop fills in counts if
 * each value is written in the suite or in a file that the suite imports; numbers may be computed.
 */

const PLACEHOLDER = /%[#$Ocdfijos]|\$[A-Za-z][\w.]*/;

type Parsed = { titles: string[][]; values: Set<string>; imports: string[] };

/** Name that a chain of calls and members begins with, as `test` in `test.each(rows)`. */
function rootOf(node: Node): string | undefined {
  if (node.type === 'Identifier') return node.name;
  if (node.type === 'CallExpression') return rootOf(node.callee);
  if (node.type === 'MemberExpression') return rootOf(node.object);
  return undefined;
}

/** Texts of a title between its placeholders. A title that is no text is one placeholder. */
function piecesOf(title: Node): string[] {
  if (title.type === 'Literal' && typeof title.value === 'string') return title.value.split(PLACEHOLDER);
  if (title.type === 'TemplateLiteral') return title.quasis.map(({ value }) => value.cooked ?? value.raw);
  return ['', ''];
}

function parse(path: string): Parsed {
  const { program } = parseSync(path, readFileSync(path, 'utf8'));
  const parsed: Parsed = { titles: [], values: new Set(), imports: [] };
  new Visitor({
    CallExpression: ({ callee, arguments: [title] }) => {
      if (title && rootOf(callee) === 'test') parsed.titles.push(piecesOf(title));
    },
    ImportDeclaration: ({ source, importKind }) => {
      if (/^\..*\.ts$/.test(source.value) && importKind !== 'type')
        parsed.imports.push(join(dirname(path), source.value));
    },
    Literal: ({ value }) => {
      parsed.values.add(typeof value === 'bigint' ? `${value}n` : String(value));
      // `%j` writes texts in quotes.
      if (typeof value === 'string') parsed.values.add(JSON.stringify(value));
    },
    Property: ({ key }) => {
      if (key.type === 'Identifier') parsed.values.add(key.name);
    },
  }).visit(program);
  return parsed;
}

const escape = (text: string) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);

/** Whether a title could be that of one of the suite's tests. */
export function createTitleFinder(suite: string): (title: string) => boolean {
  const { titles, values, imports } = parse(suite);
  const isWritten = (value: string) =>
    /^\d+n?$/.test(value) || values.has(value) || imports.some((path) => parse(path).values.has(value));
  const patterns = titles.map((pieces) => new RegExp(`^${pieces.map(escape).join('(.+?)')}$`));
  return (title) =>
    patterns.some((pattern) => {
      const found = pattern.exec(title);
      return found !== null && found.slice(1).every(isWritten);
    });
}
