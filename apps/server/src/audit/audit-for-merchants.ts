/** Merchants do not learn who operates the service. */

const OPERATOR = 'operator';
const AT_COMMAND_LINE = 'cli:';
/** Operators do these as signed-in people; everything else people do as members. */
const OF_OPERATORS = new Set(['merchant.look', 'merchant.look_end']);

/** Whether an operator did something. */
export const isOfOperator = (actor: string, action: string) =>
  OF_OPERATORS.has(action) || actor.startsWith(AT_COMMAND_LINE);

/** An entry's details without names of operators. */
export function hideOperators(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith(AT_COMMAND_LINE) ? OPERATOR : value;
  if (Array.isArray(value)) return value.map(hideOperators);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, hideOperators(inner)]));
}

/** The same for JSON text, keeping every digit. */
export const hideOperatorsInJson = (json: string) =>
  json.replace(/"(?:[^"\\]|\\.)*"/g, (text) => (text.startsWith(`"${AT_COMMAND_LINE}`) ? `"${OPERATOR}"` : text));
