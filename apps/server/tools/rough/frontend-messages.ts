/** A message from a client to PostgreSQL; `query` is the text of the statement that it executes, if it executes one. */
export type FrontendMessage = { bytes: Buffer; query?: string };

const LENGTH_BYTES = 4;
const STARTUP_VERSION = 196_608;

function textAt(bytes: Buffer, from: number): string {
  const end = bytes.indexOf(0, from);
  return bytes.toString('utf8', from, end === -1 ? bytes.length : end);
}

/** Splits what a client sends into whole messages of PostgreSQL's protocol 3. */
export function createFrontendReader(): (chunk: Buffer) => FrontendMessage[] {
  const prepared = new Map<string, string>();
  let bound = '';
  let isStarted = false;
  let rest: Buffer = Buffer.alloc(0);

  function readQuery(bytes: Buffer): string | undefined {
    const body = 1 + LENGTH_BYTES;
    const first = textAt(bytes, body);
    const second = () => textAt(bytes, body + Buffer.byteLength(first) + 1);
    switch (String.fromCodePoint(bytes[0] ?? 0)) {
      case 'Q':
        return first;
      case 'P':
        prepared.set(first, second());
        return undefined;
      case 'B':
        bound = prepared.get(second()) ?? '';
        return undefined;
      case 'E':
        return bound;
      default:
        return undefined;
    }
  }

  function take(): FrontendMessage | undefined {
    // Messages before the start have no type.
    const typeBytes = isStarted ? 1 : 0;
    if (rest.length < typeBytes + LENGTH_BYTES) return undefined;
    const size = typeBytes + rest.readInt32BE(typeBytes);
    if (rest.length < size) return undefined;
    const bytes = rest.subarray(0, size);
    rest = rest.subarray(size);
    if (isStarted) {
      const query = readQuery(bytes);
      return { bytes, ...(query !== undefined && { query }) };
    }
    isStarted = bytes.readInt32BE(LENGTH_BYTES) === STARTUP_VERSION;
    return { bytes };
  }

  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const messages: FrontendMessage[] = [];
    for (let message = take(); message; message = take()) messages.push(message);
    return messages;
  };
}
