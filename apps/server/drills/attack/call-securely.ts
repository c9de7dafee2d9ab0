import { Agent, request } from 'node:https';
import { LOOPBACK } from '../../rig/fakes/listen.ts';
import type { Caddy } from '../../rig/processes/caddy.ts';

/** Calls to Caddy's host names, which resolve nowhere, over kept connections. */

type SecureCall = { method?: string; path: string; headers: Record<string, string>; body?: string; from: string };

const agent = new Agent({ keepAlive: true });

/** Returns the status of the answer. */
export function callSecurely(caddy: Caddy, host: string, asked: SecureCall): Promise<number> {
  const { method = 'GET', path, headers, body, from } = asked;
  const { httpsPort: port, rootCertificate: ca } = caddy;
  const to = { host: LOOPBACK, port, servername: host, ca, agent, localAddress: from };
  return new Promise((resolve, reject) => {
    request({ ...to, method, path, headers: { ...headers, host: `${host}:${port}` } }, (response) => {
      response.resume().once('close', () => resolve(response.statusCode ?? 0));
    })
      .once('error', reject)
      .end(body);
  });
}

/** Closes the connections that are kept. */
export const closeSecureCalls = (): void => agent.destroy();
