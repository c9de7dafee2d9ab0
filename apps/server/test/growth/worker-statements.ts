import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/**
 * Lists the statements that a worker can send, read from the source: every function of a `-sql` file that its files
 * import.
 */

const SOURCE = join(import.meta.dirname, '../../src');
const MAIN = join(SOURCE, 'main-worker.ts');
const IMPORT = /^import (?!type )(?:\{([^}]*)\}|\S+) from '(\.[^']+)';/gms;
const SENDS =
  /\bsql(?:<[^`]*>)?`|\.query(?:<[^(]*>)?\(|\brunPrepared\b|\.(?:selectFrom|insertInto|updateTable|deleteFrom)\(/;

type Imported = { names: string[]; file: string };

function importsOf(file: string): Imported[] {
  return [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, names = '', path = '']) => ({
    names: names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && !name.startsWith('type ')),
    file: join(dirname(file), path),
  }));
}

function reachableFrom(start: string): Set<string> {
  const reached = new Set([start]);
  for (const file of reached) for (const imported of importsOf(file)) reached.add(imported.file);
  return reached;
}

/** Text of an exported function. */
function bodyOf(text: string, name: string): string | undefined {
  const begin = new RegExp(`^export (?:async )?function\\*? ${name}\\b`, 'm').exec(text)?.index;
  if (begin === undefined) return undefined;
  const rest = text.slice(begin);
  const end = rest.search(/^\}$/m);
  return end === -1 ? rest : rest.slice(0, end);
}

/** Labels as in recorded plans: the name given to a statement, else its file and function. */
function labelsOf(file: string, name: string): string[] {
  const text = readFileSync(file, 'utf8');
  const body = bodyOf(text, name);
  if (body === undefined || !SENDS.test(body)) return [];
  const prepared = /\b([A-Z_]+_STATEMENTS?)\b/.exec(body)?.[1];
  const given =
    prepared &&
    new RegExp(`${prepared}(?:: Prepared = \\{\\s*name: | = nameParameters\\(\\s*)'([a-z-]+)'`).exec(text)?.[1];
  return [given ?? `${relative(SOURCE, file).replace(/\.ts$/, '')} ${name}`];
}

export function readWorkerStatements(): string[] {
  const labels = new Set<string>();
  for (const file of reachableFrom(MAIN)) {
    if (file.endsWith('-sql.ts')) continue;
    for (const { names, file: store } of importsOf(file).filter((one) => one.file.endsWith('-sql.ts')))
      for (const label of names.flatMap((name) => labelsOf(store, name))) labels.add(label);
  }
  return [...labels].toSorted();
}
