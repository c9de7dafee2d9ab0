import { hasAtMost, isStorableText } from '../lib/text.ts';
import { isRecord } from '../lib/record.ts';

/** Text by name that a merchant attaches to an invoice; Counterfoil only returns it. */
export type Metadata = Readonly<Record<string, string>>;

export const MAX_METADATA = { keys: 20, keyCharacters: 40, valueCharacters: 500 } as const;

/** The fault of metadata, if any, as the end of a sentence about it. */
export function findMetadataFault(value: unknown): string | undefined {
  if (!isRecord(value)) return 'must be an object.';
  const entries = Object.entries(value);
  const { keys, keyCharacters, valueCharacters } = MAX_METADATA;
  if (entries.length > keys) return `may hold at most ${keys} keys.`;
  if (entries.some(([key]) => key === '' || !hasAtMost(key, keyCharacters)))
    return `must have keys of 1 to ${keyCharacters} characters.`;
  if (entries.some(([, text]) => typeof text !== 'string')) return 'must have strings as values.';
  if (entries.some(([, text]) => !hasAtMost(String(text), valueCharacters)))
    return `must have values of at most ${valueCharacters} characters.`;
  if (entries.flat().some((text) => !isStorableText(String(text)))) return 'may not hold U+0000 or lone surrogates.';
  return undefined;
}
