import { createHash } from 'node:crypto';

/** Cuts a file into chunks while it is written, and hashes it; holds one batch and one chunk in memory. */

/** The table takes no larger chunk. */
export const CHUNK_BYTES = 262_144;

type ChunkWriter = {
  write: (text: string) => Promise<void>;
  close: () => Promise<{ bytes: number; sha256: Buffer }>;
  bytes: () => number;
};

export function createChunkWriter(save: (chunk: { number: number; bytes: Buffer }) => Promise<void>): ChunkWriter {
  const hash = createHash('sha256');
  let rest: Buffer = Buffer.alloc(0);
  let saved = 0;
  let total = 0;
  const saveOne = async (bytes: Buffer) => {
    await save({ number: saved, bytes });
    saved += 1;
  };
  return {
    write: async (text) => {
      const added = Buffer.from(text, 'utf8');
      hash.update(added);
      total += added.length;
      rest = rest.length === 0 ? added : Buffer.concat([rest, added]);
      for (; rest.length >= CHUNK_BYTES; rest = rest.subarray(CHUNK_BYTES))
        await saveOne(rest.subarray(0, CHUNK_BYTES));
    },
    close: async () => {
      if (rest.length > 0) await saveOne(rest);
      rest = Buffer.alloc(0);
      return { bytes: total, sha256: hash.digest() };
    },
    bytes: () => total,
  };
}
