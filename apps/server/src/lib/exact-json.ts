import { isRecord } from './record.ts';

/** On deeper JSON the reviver would overflow the stack, at a depth that depends on the callers. */
export const MAX_DEPTH = 64;

/** Parses JSON, keeping top-level numbers under `exactNames` as text, because JSON.parse would round them. */
export function parseExactJson(text: string, exactNames: ReadonlySet<string>): unknown {
  if (isDeeperThan(text, MAX_DEPTH)) throw new SyntaxError(`The text nests deeper than ${MAX_DEPTH} levels.`);
  const plain: unknown = JSON.parse(text);
  if (!isRecord(plain)) return plain;
  const names = [...exactNames].filter((name) => Object.hasOwn(plain, name) && typeof plain[name] === 'number');
  if (names.length === 0) return plain;
  const digits = readDigits(text, exactNames);
  for (const name of names) plain[name] = digits.get(name) ?? String(plain[name]);
  return plain;
}

/** Parses JSON with all numbers as the texts that were written; undefined when it is not JSON. */
export function parseNumbersAsText(text: string): unknown {
  if (isDeeperThan(text, MAX_DEPTH)) return undefined;
  try {
    return JSON.parse(text, (_name, value: unknown, context?: { source?: string }) =>
      typeof value === 'number' ? context?.source : value,
    );
  } catch {
    return undefined;
  }
}

function isDeeperThan(text: string, levels: number): boolean {
  let depth = 0;
  let inText = false;
  for (let position = 0; position < text.length; position += 1) {
    const character = text.charAt(position);
    if (inText && character === '\\') position += 1;
    else if (character === '"') inText = !inText;
    else if (inText) continue;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    if (depth > levels) return true;
  }
  return false;
}

function readDigits(text: string, names: ReadonlySet<string>): ReadonlyMap<string, string> {
  const byHolder = new Map<unknown, Map<string, string>>();
  const root: unknown = JSON.parse(
    text,
    function remember(this: unknown, name: string, value: unknown, context?: { source?: string }) {
      if (typeof value === 'number' && context?.source !== undefined && names.has(name)) {
        const ofHolder = byHolder.get(this) ?? new Map<string, string>();
        byHolder.set(this, ofHolder.set(name, context.source));
      }
      return value;
    },
  );
  return byHolder.get(root) ?? new Map();
}
