import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Edit } from './mutant.ts';

function placeOf(text: string, { file, find }: Edit): number {
  const place = text.indexOf(find);
  if (find === '' || place === -1) throw new Error(`${file} does not contain: ${find}`);
  if (text.includes(find, place + 1)) throw new Error(`${file} contains more than once: ${find}`);
  return place;
}

/** Applies edits of one file, each of which must occur exactly once in the text as it is before all of them. */
function applyEdits(text: string, file: string, edits: readonly Edit[]): string {
  const placed = edits.map((edit) => ({ ...edit, place: placeOf(text, edit) }));
  let after = text;
  let end = text.length;
  for (const { find, replace, place } of placed.toSorted((left, right) => right.place - left.place)) {
    if (place + find.length > end) throw new Error(`${file} has edits that overlap.`);
    after = after.slice(0, place) + replace + after.slice(place + find.length);
    end = place;
  }
  if (after === text) throw new Error(`${file} is not changed.`);
  return after;
}

export type EditedFile = { path: string; before: string; after: string };

/** Files of a folder before and after the edits. Throws if an edit does not apply. */
export async function readEdited(server: string, edits: readonly Edit[]): Promise<EditedFile[]> {
  const edited: EditedFile[] = [];
  for (const [file, own] of Map.groupBy(edits, (edit) => edit.file)) {
    const path = join(server, file);
    const before = await readFile(path, 'utf8');
    edited.push({ path, before, after: applyEdits(before, file, own) });
  }
  return edited;
}
