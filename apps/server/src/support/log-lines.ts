import { isRecord } from '../lib/record.ts';

/** What of a log is useful to support: named fields of our own lines, and nothing else. Pure. */

const MAX_LINES = 1_000;
const MAX_STACK_LINES = 8;
/** Fields with texts of ours. Every other text is left out: it can be of a merchant, a customer or a stranger. */
const TEXTS = new Set([
  'time',
  'msg',
  'process',
  'network',
  'job',
  'queue',
  'kind',
  'source',
  'loop',
  'version',
  'route',
  'code',
]);
const NUMBERS = /^[A-Za-z][A-Za-z0-9_]{0,39}$/;

type PickedLines = { lines: Record<string, unknown>[]; left_out: number };

function pickError(err: unknown, scrub: (text: string) => string): Record<string, unknown> | undefined {
  if (!isRecord(err)) return undefined;
  const texts = ['type', 'code', 'message'].flatMap((name) => {
    const value = err[name];
    return typeof value === 'string' ? [[name, scrub(value)]] : [];
  });
  const stack = typeof err['stack'] === 'string' ? err['stack'].split('\n') : [];
  const frames = stack.filter((line) => /^\s+at /.test(line)).slice(0, MAX_STACK_LINES);
  return {
    ...Object.fromEntries(texts),
    ...(frames.length > 0 && { stack: frames.map((line) => scrub(line.trim())) }),
  };
}

function pickLine(line: string, scrub: (text: string) => string): Record<string, unknown> | undefined {
  const start = line.indexOf('{');
  if (start < 0) return undefined;
  try {
    const parsed: unknown = JSON.parse(line.slice(start));
    if (!isRecord(parsed) || typeof parsed['msg'] !== 'string') return undefined;
    const picked = Object.entries(parsed).flatMap(([name, value]): [string, unknown][] => {
      if (typeof value === 'string') return TEXTS.has(name) ? [[name, scrub(value)]] : [];
      const isPlain = typeof value === 'number' || typeof value === 'boolean';
      return isPlain && NUMBERS.test(name) ? [[name, value]] : [];
    });
    const err = pickError(parsed['err'], scrub);
    return { ...Object.fromEntries(picked), ...(err && { err }) };
  } catch {
    return undefined;
  }
}

/** Picks the newest lines of a log; lines that are not ours are counted and left out. */
export function pickLogLines(text: string, scrub: (text: string) => string): PickedLines {
  const given = text.split('\n').filter((line) => line.trim() !== '');
  const lines = given
    .slice(-MAX_LINES)
    .map((line) => pickLine(line, scrub))
    .filter((line) => line !== undefined);
  return { lines, left_out: given.length - lines.length };
}
