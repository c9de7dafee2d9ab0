import type { Prepared } from './database.ts';

/** A prepared statement whose parameters have names: `:delivery_ids` in its text instead of `$1`. */
type NamedStatement<Name extends string> = Prepared & { valuesOf(values: Record<Name, unknown>): unknown[] };

/** Matches a named parameter (`:name`), and not the `::` of a cast. */
const PARAMETER = /(?<![:\w]):([a-z][a-z_]*)/g;

/**
 * Numbers the named parameters of a statement. Refuses a text that uses an unlisted parameter, or does not use a listed
 * one.
 */
export function nameParameters<const Names extends readonly string[]>(
  name: string,
  names: Names,
  text: string,
): NamedStatement<Names[number]> {
  const used = new Set([...text.matchAll(PARAMETER)].map((match) => match[1] ?? ''));
  const known = new Set<string>(names);
  const wrong = [...used, ...known].filter((one) => !used.has(one) || !known.has(one));
  if (wrong.length > 0) throw new Error(`Statement ${name} and its parameters differ: ${wrong.join(', ')}.`);
  return {
    name,
    text: text.replaceAll(PARAMETER, (_, parameter: string) => `$${names.indexOf(parameter) + 1}`),
    valuesOf: (values) => names.map((parameter: Names[number]) => values[parameter]),
  };
}
