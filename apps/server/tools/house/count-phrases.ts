import type { Phrase } from './phrases.ts';
import type { Prose } from './read-prose.ts';

/** Counts listed phrases in texts. */

type FoundPhrase = { path: string; phrase: string; write: string };
export type Dialect = { words: number; found: FoundPhrase[]; per10k: number };

/** Names, settings, addresses and places for values, which are no wording. */
const NO_WORDING = /`[^`\n]*`|\bCOUNTERFOIL_\w+|\bhttps?:\/\/\S+|\{\w+\}|\]\([^)\s]*\)/g;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}’'-]*/gu;
const PER = 10_000;

const compile = (pattern: string) => new RegExp(String.raw`\b(?:${pattern})\b`, 'giu');

export function countPhrases(texts: readonly Prose[], phrases: readonly Phrase[]): Dialect {
  const compiled = phrases.map(({ find, write, except }) => ({
    find: compile(find),
    write,
    except: except === undefined ? null : compile(except),
  }));
  const found: FoundPhrase[] = [];
  let words = 0;
  for (const { path, text } of texts) {
    const wording = text.replaceAll(NO_WORDING, '·').replaceAll(/\s*\n\s*(?:\*\s)?/g, ' ');
    words += wording.match(WORD)?.length ?? 0;
    for (const { find, write, except } of compiled) {
      const rest = except === null ? wording : wording.replaceAll(except, '·');
      for (const [phrase] of rest.matchAll(find)) found.push({ path, phrase, write });
    }
  }
  return { words, found, per10k: words === 0 ? 0 : Number(((PER * found.length) / words).toFixed(1)) };
}
