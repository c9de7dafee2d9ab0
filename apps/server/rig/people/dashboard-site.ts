import type { KeyRingFixture } from '../database/key-ring-fixture.ts';
import { openKeyRingFixture } from '../database/key-ring-fixture.ts';
import type { Template } from '../database/template-database.ts';
import type { ServerProcess } from '../processes/server-process.ts';
import { startDashboard } from '../processes/server-process.ts';

/** A real process of the dashboard's server, and people who use it with a browser's headers and cookies. */

export type DashboardSite = KeyRingFixture & { server: ServerProcess; dashboardUrl: string };

export const DASHBOARD_URL = 'http://localhost:3003';

export async function openDashboardSite(
  template: Template,
  settings: Record<string, string> = {},
): Promise<DashboardSite> {
  const fixture = await openKeyRingFixture(template);
  const dashboardUrl = settings['COUNTERFOIL_DASHBOARD_URL'] ?? DASHBOARD_URL;
  const server = await startDashboard(fixture.url, {
    COUNTERFOIL_KEY_RING_FILE: fixture.path,
    COUNTERFOIL_TRUSTED_PROXIES: '127.0.0.1',
    COUNTERFOIL_DASHBOARD_URL: dashboardUrl,
    COUNTERFOIL_REGISTRATION: 'open',
    ...settings,
  });
  const close = async () => {
    await server.stop();
    await fixture.close();
  };
  return { ...fixture, server, dashboardUrl, close };
}

type Answer = {
  status: number;
  body: { status?: string; error_code?: string; data?: Record<string, unknown>; details?: Record<string, unknown> };
  /** The answer as it came; `body` is empty when it is no JSON. */
  text: string;
  headers: Headers;
};

/** A browser: keeps the cookie that the server sets, and says which page its requests come from. */
export type Browser = {
  /** The session's cookie as the browser would send it. */
  cookie: string;
  /** The cookie of a known browser after sign-in. */
  device: string;
  address: string;
  /** Sends a request; `headers` replace the ones that the dashboard's own page would send. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
};

let browsers = 0;

/** A new browser at a network address of its own, unless another one is named: addresses have a budget of attempts. */
export function openBrowser(
  {
    server,
    dashboardUrl = DASHBOARD_URL,
  }: Pick<DashboardSite, 'server'> & Partial<Pick<DashboardSite, 'dashboardUrl'>>,
  from?: string,
): Browser {
  browsers += 1;
  const browser: Browser = {
    cookie: '',
    device: '',
    address: from ?? `10.9.${browsers >> 8}.${browsers & 255}`,
    send: async (method, path, body, headers = {}) => {
      const cookie = [browser.cookie, browser.device].filter((one) => one !== '').join('; ');
      const response = await fetch(`${server.url}/api/dashboard${path}`, {
        method,
        headers: {
          'sec-fetch-site': 'same-origin',
          origin: dashboardUrl,
          'user-agent': 'rig',
          'x-forwarded-for': browser.address,
          ...(cookie !== '' && { cookie }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      for (const set of response.headers.getSetCookie()) {
        const [pair = ''] = set.split(';');
        if (/device/.test(pair.split('=')[0] ?? '')) browser.device = pair;
        else browser.cookie = /Max-Age=0/.test(set) ? '' : pair;
      }
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
      const parsed = (isJson ? JSON.parse(text) : {}) as Answer['body'];
      return { status: response.status, body: parsed, text, headers: response.headers };
    },
  };
  return browser;
}
