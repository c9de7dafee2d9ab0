import { brotliCompressSync, gzipSync } from 'node:zlib';

/** A document that is compressed once and sent from the same bytes to every client. */

export type EncodedDocument = { type: string; plain: Buffer; br: Buffer | undefined; gzip: Buffer | undefined };

export function encodeDocument(type: string, text: string): EncodedDocument {
  const plain = Buffer.from(text);
  return { type, plain, br: brotliCompressSync(plain), gzip: gzipSync(plain) };
}

const REFUSED = /;\s*q\s*=\s*0(?:\.0{0,3})?\s*$/i;

/** Encodings that an Accept-Encoding header lists and does not refuse. */
export function acceptedEncodings(acceptEncoding: string): Set<string> {
  const taken = acceptEncoding.split(',').filter((part) => !REFUSED.test(part));
  return new Set(taken.map((part) => (part.split(';')[0] ?? '').trim().toLowerCase()));
}

/** The smallest variant that the client accepts. */
export function chooseEncoding(
  { plain, br, gzip }: EncodedDocument,
  acceptEncoding: string,
): { encoding: string | undefined; bytes: Buffer } {
  const accepted = acceptedEncodings(acceptEncoding);
  if (br && accepted.has('br')) return { encoding: 'br', bytes: br };
  if (gzip && accepted.has('gzip')) return { encoding: 'gzip', bytes: gzip };
  return { encoding: undefined, bytes: plain };
}
