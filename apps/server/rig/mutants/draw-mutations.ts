import { createHash } from 'node:crypto';
import { seededNumbers } from '../fakes/seeded-numbers.ts';
import type { Mutation } from './mutation.ts';
import { keyOf, linesAround } from './mutation.ts';

const NAME_CHARACTERS = 10;

/**
 * All mutations in an order that a seed fixes. The order depends on each mutation's own text, so that most of a draw
 * stays the same when other code changes. Mutations with the same text are one.
 */
export function orderMutations(mutations: readonly Mutation[], seed: number): Mutation[] {
  const unique = [...new Map(mutations.map((mutation) => [keyOf(mutation), mutation])).values()];
  const placeOf = (mutation: Mutation) => {
    const digest = createHash('sha256').update(keyOf(mutation)).digest();
    return seededNumbers(seed ^ digest.readUInt32BE(0))();
  };
  return unique
    .map((mutation) => ({ mutation, place: placeOf(mutation) }))
    .toSorted((left, right) => left.place - right.place || (keyOf(left.mutation) < keyOf(right.mutation) ? -1 : 1))
    .map(({ mutation }) => mutation);
}

export const nameOf = (mutation: Mutation) =>
  `g${createHash('sha256').update(keyOf(mutation)).digest('hex').slice(0, NAME_CHARACTERS)}`;

const occursOnce = (text: string, part: string) => text.indexOf(part) === text.lastIndexOf(part);

/** A change of a file by its text; `find` occurs exactly once. */
type Edit = { file: string; find: string; replace: string };

/** The edit that plants a mutation: its lines, with as many lines above as make them unique in the file. */
export function editOf(text: string, { file, start, end, replacement }: Mutation): Edit {
  let around = linesAround(text, start, end);
  while (!occursOnce(text, text.slice(around.start, around.end)) && around.start > 0)
    around = linesAround(text, around.start - 1, around.end);
  const find = text.slice(around.start, around.end);
  return { file, find, replace: text.slice(around.start, start) + replacement + text.slice(end, around.end) };
}
