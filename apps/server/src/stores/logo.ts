import { createHash } from 'node:crypto';

/** A store's logo. Its type is recognised by content, never by name. SVG is refused, because it can contain scripts. */

export const MAX_LOGO_BYTES = 65_536;
const MIN_SIDE = 16;
const MAX_SIDE = 1_024;

export type LogoExtension = 'png' | 'jpg' | 'webp';
export type Logo = { hash: string; extension: LogoExtension; bytes: Buffer };
export const LOGO_TYPES: Record<LogoExtension, string> = { png: 'image/png', jpg: 'image/jpeg', webp: 'image/webp' };

export type LogoFault = 'too-large' | 'not-a-picture' | 'wrong-size';

type Size = { width: number; height: number };

const PNG_MAGIC = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const JPEG_MAGIC = Buffer.from('ffd8ff', 'hex');

function pngSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 33 || !bytes.subarray(0, 16).equals(PNG_MAGIC)) return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** JPEG frame headers are the markers 0xC0 to 0xCF, except three with another meaning. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

function jpegSize(bytes: Buffer): Size | undefined {
  if (!bytes.subarray(0, 3).equals(JPEG_MAGIC)) return undefined;
  for (let at = 2; at + 9 <= bytes.length;) {
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] !== 0xff) return undefined;
    if (isFrame(marker)) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

function webpSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 30 || bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WEBP')
    return undefined;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return bytes[20] === 0x2f ? { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 } : undefined;
    }
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
}

const READERS: [LogoExtension, (bytes: Buffer) => Size | undefined][] = [
  ['png', pngSize],
  ['jpg', jpegSize],
  ['webp', webpSize],
];

export function readLogo(bytes: Buffer): { logo: Logo } | { fault: LogoFault } {
  if (bytes.length > MAX_LOGO_BYTES) return { fault: 'too-large' };
  for (const [extension, sizeOf] of READERS) {
    const size = sizeOf(bytes);
    if (!size) continue;
    const sides = [size.width, size.height];
    if (sides.some((side) => side < MIN_SIDE || side > MAX_SIDE)) return { fault: 'wrong-size' };
    return { logo: { hash: createHash('sha256').update(bytes).digest('hex'), extension, bytes } };
  }
  return { fault: 'not-a-picture' };
}
