import { recognizeSearch } from '@counterfoil/core/search.ts';

export type Sought = 'invoice' | 'event' | 'transaction' | 'address' | 'order';

const LEAST = 3;

/** What the server searches for; undefined for texts that are too short to ask. */
export function recognise(typed: string): Sought | undefined {
  const text = typed.trim();
  if (text.length < LEAST) return undefined;
  const { kind } = recognizeSearch(text);
  return kind === 'text' ? 'order' : kind;
}
