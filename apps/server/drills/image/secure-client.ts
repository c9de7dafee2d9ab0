import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingHttpStatusHeader } from 'node:http2';
import { connect, constants } from 'node:http2';
import type { LookupFunction } from 'node:net';
import { text } from 'node:stream/consumers';
import { LOOPBACK } from '../../rig/fakes/listen.ts';

/** A client of HTTP/2 that believes one authority, and finds every host on loopback. */

type SecureAnswer = { status: number; body: string };
type SecureRequest = { method?: string; headers?: Record<string, string>; body?: string };

export type SecureClient = {
  /** Protocol that the server chose during the TLS handshake. */
  protocol: string;
  ask(path: string, request?: SecureRequest): Promise<SecureAnswer>;
  close(): void;
};

const onLoopback: LookupFunction = (_hostname, _options, found) => found(null, [{ address: LOOPBACK, family: 4 }]);

export async function openSecureClient(origin: string, authority: string): Promise<SecureClient> {
  const session = connect(origin, { ca: authority, lookup: onLoopback });
  await once(session, 'connect');
  return {
    protocol: session.alpnProtocol ?? '',
    ask: async (path, { method = 'GET', headers = {}, body } = {}) => {
      const stream = session.request({
        ...headers,
        [constants.HTTP2_HEADER_METHOD]: method,
        [constants.HTTP2_HEADER_PATH]: path,
      });
      const answered = once(stream, 'response') as Promise<[IncomingHttpHeaders & IncomingHttpStatusHeader]>;
      stream.end(body);
      const [answer] = await answered;
      return { status: Number(answer[constants.HTTP2_HEADER_STATUS]), body: await text(stream) };
    },
    close: () => session.destroy(),
  };
}
