/** What merchants are not told by the audit: who runs the service. Pure. */

const OPERATOR = 'operator';
const AT_COMMAND_LINE = 'cli:';
/** What operators do as people who are signed in; all else that people do, they do as members. */
const OF_OPERATORS = new Set(['merchant.look', 'merchant.look_end']);

/** Whether an operator did something. */
export const isOfOperator = (actor: string, action: string) =>
  OF_OPERATORS.has(action) || actor.startsWith(AT_COMMAND_LINE);

/** What an audit entry says, without the names of operators. */
export function hideOperators(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith(AT_COMMAND_LINE) ? OPERATOR : value;
  if (Array.isArray(value)) return value.map(hideOperators);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, hideOperators(inner)]));
}

/** The same for JSON text, whose numbers keep every digit. */
export const hideOperatorsInJson = (json: string) =>
  json.replace(/"(?:[^"\\]|\\.)*"/g, (text) => (text.startsWith(`"${AT_COMMAND_LINE}`) ? `"${OPERATOR}"` : text));
