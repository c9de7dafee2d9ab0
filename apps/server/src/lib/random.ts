import { randomFillSync } from 'node:crypto';

/** Random text, generated in blocks because each call is a system call. */

export const UPPER_ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
export const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

const BLOCK_BYTES = 4096;
const block = Buffer.alloc(BLOCK_BYTES);
let used = BLOCK_BYTES;

function randomByte(): number {
  if (used === BLOCK_BYTES) {
    randomFillSync(block);
    used = 0;
  }
  const byte = block.readUInt8(used);
  block[used] = 0;
  used += 1;
  return byte;
}

/** Each character is equally likely: bytes above the last whole multiple of the alphabet's length are discarded. */
export function randomText(alphabet: string, length: number): string {
  const fair = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < length) {
    const byte = randomByte();
    if (byte < fair) text += alphabet.charAt(byte % alphabet.length);
  }
  return text;
}
