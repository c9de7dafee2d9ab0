/** Details of an entry as lines of name and value. */

type Line = { name: string; value: string };

const writeValue = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Nested names are joined by a dot; empty values are left out. */
export function linesOf(details: unknown, within = ''): Line[] {
  if (details === null || details === undefined) return [];
  if (Array.isArray(details))
    return details.length === 0 ? [] : [{ name: within, value: details.map(writeValue).join(', ') }];
  if (typeof details !== 'object') return [{ name: within, value: writeValue(details) }];
  return Object.entries(details).flatMap(([name, value]) => linesOf(value, within === '' ? name : `${within}.${name}`));
}
