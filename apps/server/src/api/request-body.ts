import type { IncomingMessage } from 'node:http';
import { invalidFields, PublicError } from './public-error.ts';
import { parseExactJson } from '../lib/exact-json.ts';

/** A body, read within a limit. Faults are returned instead of thrown, so that a wrong API key is answered first. */
export type RequestBody = { value: unknown } | { fault: 'malformed' | 'too-large' | 'unsupported' };

export const MAX_BODY_BYTES = 16_384;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function parseBody(bytes: Buffer, exactNames: ReadonlySet<string>): RequestBody {
  try {
    return { value: parseExactJson(decoder.decode(bytes), exactNames) };
  } catch {
    // Malformed JSON, invalid UTF-8, or too deep nesting.
    return { fault: 'malformed' };
  }
}

/** Undefined above `maxBytes`. Rejects when the caller disconnects. */
export function readBytes(stream: IncomingMessage, maxBytes = MAX_BODY_BYTES): Promise<Buffer | undefined> {
  if (Number(stream.headers['content-length'] ?? 0) > maxBytes) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    stream.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= maxBytes) chunks.push(chunk);
      else resolve(undefined);
    });
    stream.on('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
    // A disconnect is BAD_REQUEST, because the server is not at fault.
    stream.on('error', (cause) => reject(new PublicError('BAD_REQUEST', { cause })));
    stream.on('aborted', () => reject(new PublicError('BAD_REQUEST')));
  });
}

/** Throws the error of a body that could not be read. */
export function requireValue(body: RequestBody): unknown {
  if (!('fault' in body)) return body.value;
  if (body.fault === 'too-large') throw new PublicError('PAYLOAD_TOO_LARGE');
  if (body.fault === 'unsupported') throw new PublicError('UNSUPPORTED_MEDIA_TYPE');
  throw invalidFields([{ field: 'body', message: 'The body is not valid JSON.' }]);
}
