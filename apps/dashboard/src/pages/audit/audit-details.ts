/** What an entry says beyond its words, as lines of name and value. Pure. */

type Line = { name: string; value: string };

const writeValue = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Names as the log has them, with what lies inside of others behind a dot; what says nothing is left out. */
export function linesOf(details: unknown, within = ''): Line[] {
  if (details === null || details === undefined) return [];
  if (Array.isArray(details))
    return details.length === 0 ? [] : [{ name: within, value: details.map(writeValue).join(', ') }];
  if (typeof details !== 'object') return [{ name: within, value: writeValue(details) }];
  return Object.entries(details).flatMap(([name, value]) => linesOf(value, within === '' ? name : `${within}.${name}`));
}
