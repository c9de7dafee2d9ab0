/** Splits the SQL of a template string into tokens with their offsets in the source file. */

export type SqlToken = {
  kind: 'word' | 'operator' | 'text' | 'hole' | 'open' | 'close' | 'comma';
  text: string;
  start: number;
  end: number;
  /** How many brackets and `case` expressions are open around the token. */
  depth: number;
};

/** A piece of a template: its own text, or an expression between two texts. */
export type SqlPiece = { kind: 'text' | 'hole'; start: number; end: number };

const TOKEN = /--[^\n]*|'(?:[^']|'')*'|"[^"]*"|=>|<>|<=|>=|->>|->|::|\|\||[<>=]|[(),]|[A-Za-z_][\w.]*|\d+|\S/g;

function kindOf(text: string): SqlToken['kind'] {
  if (text === '(') return 'open';
  if (text === ')') return 'close';
  if (text === ',') return 'comma';
  if (/^[A-Za-z_]/.test(text)) return 'word';
  return /^['"]/.test(text) ? 'text' : 'operator';
}

export function readSqlTokens(source: string, pieces: readonly SqlPiece[]): SqlToken[] {
  const tokens: SqlToken[] = [];
  let depth = 0;
  for (const piece of pieces) {
    if (piece.kind === 'hole') {
      tokens.push({ kind: 'hole', text: '$', start: piece.start, end: piece.end, depth });
      continue;
    }
    for (const match of source.slice(piece.start, piece.end).matchAll(TOKEN)) {
      const [text] = match;
      if (text.startsWith('--')) continue;
      const start = piece.start + match.index;
      const kind = kindOf(text);
      const isOpening = kind === 'open' || text === 'case';
      const isClosing = kind === 'close' || text === 'end';
      if (isClosing) depth -= 1;
      tokens.push({ kind, text, start, end: start + text.length, depth });
      if (isOpening) depth += 1;
    }
  }
  return tokens;
}
