import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { LOOPBACK } from '../fakes/listen.ts';
import type { Caddy } from '../processes/caddy.ts';

/** A client of one of Caddy's host names, which resolve nowhere, over kept connections. */

type Asked = { method?: string; path: string; headers?: Record<string, string>; body?: string };
export type Said = { status: number; text: string };

export type SecureCaller = {
  /** Rejects when there is no complete response. */
  ask(asked: Asked): Promise<Said>;
  close(): void;
};

const HANG_MS = 60_000;

export function openSecureCaller({ httpsPort: port, rootCertificate: ca }: Caddy, host: string): SecureCaller {
  const agent = new Agent({ keepAlive: true });
  const to = { host: LOOPBACK, port, servername: host, ca, agent };
  return {
    ask: ({ method = 'GET', path, headers, body }) =>
      new Promise((resolve, reject) => {
        const signal = AbortSignal.timeout(HANG_MS);
        const asked = { ...to, method, path, signal, headers: { ...headers, host: `${host}:${port}` } };
        request(asked, (response) => {
          text(response).then((said) => resolve({ status: response.statusCode ?? 0, text: said }), reject);
        })
          .once('error', reject)
          .end(body);
      }),
    close: () => agent.destroy(),
  };
}
