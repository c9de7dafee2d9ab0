import fc from 'fast-check';

/** Requests that are almost HTTP, or HTTP that two parsers could split differently. */

const BODY = '{"merchant_id":"x","amount":5}';
const HOST = 'Host: api.example\r\n';
const JSON_TYPE = 'Content-Type: application/json\r\n';
const CLOSE = 'Connection: close\r\n';
const LONG_HEADER = 20_000;

const post = (headers: string, body: string) =>
  `POST /payment/crypto HTTP/1.1\r\n${HOST}${JSON_TYPE}${headers}\r\n${body}`;
const length = `Content-Length: ${BODY.length}\r\n`;
const smuggled = 'GET /invoice/TID-AAAAAAAAAAAAAAAA HTTP/1.1\r\nHost: a\r\n\r\n';
const chunked = 'Transfer-Encoding: chunked\r\n';

/** Ambiguous requests; each must be answered at most once. */
export const AMBIGUOUS_REQUESTS: Readonly<Record<string, string>> = {
  'length and chunks': post(`${CLOSE}Content-Length: 6\r\n${chunked}`, `0\r\n\r\n${smuggled}`),
  'chunks and length': post(`${CLOSE}${chunked}Content-Length: 4\r\n`, `5c\r\n${smuggled}\r\n0\r\n\r\n`),
  'two lengths that differ': post(`${CLOSE}Content-Length: 0\r\nContent-Length: 44\r\n`, smuggled),
  'two lengths that agree': post(`${CLOSE}${length}${length}`, BODY),
  'lengths in a list': post(`${CLOSE}Content-Length: 0, 44\r\n`, smuggled),
  'a signed length': post(`${CLOSE}Content-Length: +30\r\n`, BODY),
  'a negative length': post(`${CLOSE}Content-Length: -1\r\n`, BODY),
  'a hexadecimal length': post(`${CLOSE}Content-Length: 0x1e\r\n`, BODY),
  'a length too large to count': post(`${CLOSE}Content-Length: 99999999999999999999999\r\n`, BODY),
  'a space before the colon of the length': post(`${CLOSE}Content-Length : 30\r\n`, BODY),
  'a space before the colon of the chunks': post(
    `${CLOSE}Transfer-Encoding : chunked\r\nContent-Length: 0\r\n`,
    smuggled,
  ),
  'chunks after another coding': post(`${CLOSE}Transfer-Encoding: xchunked\r\n`, `0\r\n\r\n${smuggled}`),
  'chunks before another coding': post(`${CLOSE}Transfer-Encoding: chunked, identity\r\n`, `0\r\n\r\n${smuggled}`),
  'chunks twice': post(`${CLOSE}${chunked}${chunked}`, `0\r\n\r\n`),
  'a vertical tab before chunked': post(`${CLOSE}Transfer-Encoding:\u000bchunked\r\n`, `0\r\n\r\n${smuggled}`),
  'a folded header': post(`${CLOSE}X-Folded: a\r\n Content-Length: 44\r\n`, smuggled),
  'a folded coding': post(`${CLOSE}Transfer-Encoding:\r\n chunked\r\n`, `0\r\n\r\n${smuggled}`),
  'bare line feeds': post(`${CLOSE}${length}`, BODY).replaceAll('\r\n', '\n'),
  'a bare line feed in a header': post(`${CLOSE}X-A: b\nContent-Length: 0\r\n`, smuggled),
  'a bare carriage return in a header': post(`${CLOSE}X-A: b\rContent-Length: 0\r\n`, smuggled),
  'a NUL in a header': post(`${CLOSE}X-A: b\u0000\r\n${length}`, BODY),
  'a chunk size that is none': post(`${CLOSE}${chunked}`, `zz\r\n${BODY}\r\n0\r\n\r\n`),
  'a chunk size too large to count': post(`${CLOSE}${chunked}`, `fffffffffffffffff\r\n${BODY}\r\n0\r\n\r\n`),
  'a chunk size with a sign': post(`${CLOSE}${chunked}`, `+1e\r\n${BODY}\r\n0\r\n\r\n`),
  'a chunk extension with a line feed': post(`${CLOSE}${chunked}`, `1e;a\nb\r\n${BODY}\r\n0\r\n\r\n`),
  'a chunk that ends in a line feed': post(`${CLOSE}${chunked}`, `1e\r\n${BODY}\n0\r\n\r\n`),
  'a chunk longer than its size': post(`${CLOSE}${chunked}`, `2\r\n${BODY}\r\n0\r\n\r\n`),
  'a trailer that names a length': post(`${CLOSE}${chunked}`, `1e\r\n${BODY}\r\n0\r\nContent-Length: 44\r\n\r\n`),
};

const NEARLY_HTTP = [
  '\r\n\r\n\r\n',
  'GET\r\n\r\n',
  'GET / HTTP/9.9\r\n\r\n',
  'GET / HTTP/1.1\r\nConnection: close\r\n\r\n',
  `GET http://evil.example/ HTTP/1.1\r\n${HOST}${CLOSE}\r\n`,
  `GET /invoice/ HTTP/1.0\r\n\r\n`,
  `SPLICE / HTTP/1.1\r\n${HOST}${CLOSE}\r\n`,
  `CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n`,
  `GET /invoice/\u0001 HTTP/1.1\r\n${HOST}${CLOSE}\r\n`,
  `GET /invoice/${'A'.repeat(LONG_HEADER)} HTTP/1.1\r\n${HOST}${CLOSE}\r\n`,
  `GET / HTTP/1.1\r\n${HOST}${CLOSE}X-Long: ${'a'.repeat(LONG_HEADER)}\r\n\r\n`,
  `GET / HTTP/1.1\r\n${HOST}${CLOSE}${'X-Many: a\r\n'.repeat(1_000)}\r\n`,
  `GET / HTTP/1.1\r\n${HOST}${HOST}${CLOSE}\r\n`,
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
];

export const rawRequests: fc.Arbitrary<Buffer> = fc.oneof(
  fc.constantFrom(...Object.values(AMBIGUOUS_REQUESTS), ...NEARLY_HTTP).map((text) => Buffer.from(text, 'latin1')),
  // A valid request with one byte changed, which asks to be the last on its socket.
  fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })).map(([at, byte]) => {
    const bytes = Buffer.from(post(`${CLOSE}${length}`, BODY), 'latin1');
    bytes[at % (bytes.length - BODY.length)] = byte;
    return bytes;
  }),
);
