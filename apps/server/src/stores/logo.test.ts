import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { MAX_LOGO_BYTES, readLogo } from './logo.ts';

function png(width: number, height: number): Buffer {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  const head = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  return Buffer.concat([head, size, Buffer.from('0802000000', 'hex'), deflateSync(Buffer.alloc(64))]);
}

function jpeg(width: number, height: number): Buffer {
  const frame = Buffer.from('ffc0001108000000000301220002110103110100', 'hex');
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'), frame]);
}

function webp(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(40);
  bytes.write('RIFF', 0, 'latin1');
  bytes.write('WEBPVP8X', 8, 'latin1');
  bytes.writeUIntLE(width - 1, 24, 3);
  bytes.writeUIntLE(height - 1, 27, 3);
  return bytes;
}

test.each([
  ['png', png(64, 32)],
  ['jpg', jpeg(64, 32)],
  ['webp', webp(64, 32)],
] as const)('a %s picture is known by its bytes', (extension, bytes) => {
  expect(readLogo(bytes)).toMatchObject({ logo: { extension, hash: expect.stringMatching(/^[0-9a-f]{64}$/) } });
});

test.each([
  ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'), 'not-a-picture'],
  ['HTML', Buffer.from('<!doctype html><script>alert(1)</script>'), 'not-a-picture'],
  ['GIF', Buffer.from('GIF89a@@'), 'not-a-picture'],
  ['nothing', Buffer.alloc(0), 'not-a-picture'],
  ['the beginning of a PNG', png(64, 64).subarray(0, 20), 'not-a-picture'],
  ['the beginning of a JPEG', Buffer.from('ffd8ffe00010', 'hex'), 'not-a-picture'],
  ['a JPEG whose segments lead nowhere', Buffer.from('ffd8ffe00000ffe00000ffe00000', 'hex'), 'not-a-picture'],
  ['an image of huge dimensions', png(60_000, 60_000), 'wrong-size'],
  ['an image of one pixel', png(1, 1), 'wrong-size'],
  ['more bytes than are served', Buffer.concat([png(64, 64), Buffer.alloc(MAX_LOGO_BYTES)]), 'too-large'],
] as const)('%s is refused', (_name, bytes, fault) => {
  expect(readLogo(bytes)).toEqual({ fault });
});
