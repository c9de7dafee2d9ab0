import type { Change } from './mutation.ts';
import type { SqlPiece, SqlToken } from './sql-tokens.ts';
import { readSqlTokens } from './sql-tokens.ts';

/** Mutations of SQL: conditions, comparisons, locks, the order of rows, and the larger or smaller of two values. */

export const SQL_COMPARISONS: Readonly<Record<string, string>> = {
  '=': '<>',
  '<>': '=',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
};
const OPPOSITES: Readonly<Record<string, string>> = { greatest: 'least', least: 'greatest', min: 'max', max: 'min' };
/** Words after which a condition has ended. */
const ENDS = new Set(
  'and cross do else for from group having join left limit offset on or order returning set then union when where'.split(
    ' ',
  ),
);

type Tokens = readonly SqlToken[];

const wordAt = (tokens: Tokens, place: number) => (tokens[place]?.kind === 'word' ? tokens[place].text : '');

const isWords = (tokens: Tokens, place: number, ...words: readonly string[]) =>
  words.every((word, offset) => wordAt(tokens, place + offset) === word);

/** Whether the token is the `and` of `between a and b`. */
function isOfBetween(tokens: Tokens, place: number): boolean {
  const depth = tokens[place]?.depth;
  for (let at = place - 1; at >= 0; at -= 1) {
    const token = tokens[at];
    if (!token || token.depth < (depth ?? 0)) return false;
    if (token.depth !== depth || token.kind !== 'word') continue;
    if (token.text === 'between') return true;
    if (ENDS.has(token.text)) return false;
  }
  return false;
}

/** Whether a template is a part of a `set` list: `a = b, c = d`. */
const isSetList = (tokens: Tokens) =>
  tokens[1]?.text === '=' && tokens.some(({ kind, depth }) => kind === 'comma' && depth === 0);

/** Whether the token assigns a column in a `set` list instead of comparing. */
const isAssignment = (tokens: Tokens, place: number) =>
  tokens[place]?.text === '=' &&
  (wordAt(tokens, place - 2) === 'set' ||
    (isSetList(tokens) && (place === 1 || tokens[place - 2]?.kind === 'comma')) ||
    (tokens[place - 2]?.kind === 'comma' && isInSet(tokens, place - 2)) ||
    tokens[place - 2]?.kind === 'hole');

function isInSet(tokens: Tokens, place: number): boolean {
  const depth = tokens[place]?.depth ?? 0;
  for (let at = place - 1; at >= 0; at -= 1) {
    const token = tokens[at];
    if (!token || token.depth < depth) return false;
    if (token.depth !== depth || token.kind !== 'word') continue;
    if (token.text === 'set') return true;
    if (['where', 'from', 'select', 'returning', 'on', 'order'].includes(token.text)) return false;
  }
  return false;
}

/** The last token of the condition that begins at a place. */
function endOfTerm(tokens: Tokens, place: number): SqlToken | undefined {
  const depth = tokens[place]?.depth ?? 0;
  let last: SqlToken | undefined;
  for (let at = place; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (!token || token.depth < depth) return last;
    if (token.depth === depth && (token.kind === 'comma' || (token.kind === 'close' && at === place))) return last;
    const isEnd = token.depth === depth && token.kind === 'word' && ENDS.has(token.text);
    if (isEnd && !isOfBetween(tokens, at) && wordAt(tokens, at - 1) !== 'distinct') return last;
    last = token;
  }
  return last;
}

const replaced = ({ start, end }: SqlToken, replacement: string, kind: Change['kind']): Change => ({
  start,
  end,
  replacement,
  kind,
});

/** Changes of `and`, `or` and the conditions that they join. */
function mutateLogic(tokens: Tokens, place: number): Change[] {
  const token = tokens[place];
  if (!token || (token.text !== 'and' && token.text !== 'or') || isOfBetween(tokens, place)) return [];
  const changes = [replaced(token, token.text === 'and' ? 'or' : 'and', 'sql logic')];
  const end = endOfTerm(tokens, place + 1);
  if (end) changes.push({ start: token.start, end: end.end, replacement: '', kind: 'sql condition' });
  return changes;
}

function mutateWord(tokens: Tokens, place: number): Change[] {
  const token = tokens[place];
  if (!token) return [];
  const opposite = OPPOSITES[token.text];
  if (opposite !== undefined && tokens[place + 1]?.kind === 'open') return [replaced(token, opposite, 'sql function')];
  if (token.text === 'desc') return [replaced(token, 'asc', 'sql order')];
  if (token.text === 'not' && wordAt(tokens, place - 1) !== 'is') return [replaced(token, '', 'sql comparison')];
  if (isWords(tokens, place, 'is', 'null')) return [replaced(token, 'is not', 'sql comparison')];
  if (isWords(tokens, place, 'is', 'not') || isWords(tokens, place, 'is', 'distinct')) {
    const next = tokens[place + 1];
    if (!next) return [];
    const isNegated = next.text === 'not';
    return [
      { ...replaced(token, isNegated ? 'is' : 'is not', 'sql comparison'), end: isNegated ? next.end : token.end },
    ];
  }
  return [];
}

/** Changes of row locks: without the lock, and without passing over rows that others have locked. */
function mutateLock(tokens: Tokens, place: number): Change[] {
  const token = tokens[place];
  if (!token) return [];
  if (isWords(tokens, place, 'skip', 'locked'))
    return [{ ...replaced(token, '', 'sql lock'), end: tokens[place + 1]?.end ?? token.end }];
  if (token.text !== 'for' || !['update', 'share', 'no', 'key'].includes(wordAt(tokens, place + 1))) return [];
  let last = place + 1;
  while (['no', 'key', 'update', 'share', 'of', 'skip', 'locked', 'nowait'].includes(wordAt(tokens, last + 1)))
    last += 1;
  return [{ ...replaced(token, '', 'sql lock'), end: tokens[last]?.end ?? token.end }];
}

/** Reverses the order of rows where no direction is written. */
function mutateOrder(tokens: Tokens, place: number): Change[] {
  if (!isWords(tokens, place, 'order', 'by')) return [];
  const end = endOfTerm(tokens, place + 2);
  if (!end || end.text === 'desc' || end.text === 'asc') return [];
  return [{ start: end.end, end: end.end, replacement: ' desc', kind: 'sql order' }];
}

/** Changes of the token at a place. */
function mutateToken(tokens: Tokens, place: number): Change[] {
  const token = tokens[place];
  if (!token) return [];
  if (token.kind === 'word')
    return mutateLogic(tokens, place).concat(
      mutateWord(tokens, place),
      mutateLock(tokens, place),
      mutateOrder(tokens, place),
    );
  const comparison = token.kind === 'operator' ? SQL_COMPARISONS[token.text] : undefined;
  return comparison === undefined || isAssignment(tokens, place) ? [] : [replaced(token, comparison, 'sql comparison')];
}

export function mutateSql(source: string, pieces: readonly SqlPiece[]): Change[] {
  const tokens = readSqlTokens(source, pieces);
  return tokens.flatMap((_token, place) => mutateToken(tokens, place));
}
