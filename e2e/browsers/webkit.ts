import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Engine } from './engine.ts';
import { PHONE } from './engine.ts';

/** WebKit, by the driver of WebKitGTK and plain HTTP: five requests of the W3C protocol are enough. */

const PORT = 4_480;
const STARTS_WITHIN_MS = 15_000;
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';
const BROWSERS = ['4.1', '4.0', '6.0'].map((version) => `/usr/lib/x86_64-linux-gnu/webkit2gtk-${version}/MiniBrowser`);
/** Root and containers: no sandbox by namespaces, and drawing by software. */
const ENVIRONMENT = {
  WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
  WEBKIT_DISABLE_COMPOSITING_MODE: '1',
  LIBGL_ALWAYS_SOFTWARE: '1',
};

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const sent =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const response = await fetch(`http://127.0.0.1:${String(PORT)}${path}`, { method, ...sent });
  const { value } = (await response.json()) as { value: T };
  if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(value)}`);
  return value;
}

async function untilReady(): Promise<void> {
  for (const end = Date.now() + STARTS_WITHIN_MS; ; await wait(100)) {
    const status = await call<{ ready: boolean }>('GET', '/status').catch(() => null);
    if (status) return;
    if (Date.now() > end) throw new Error('WebKitWebDriver did not start.');
  }
}

async function openSession(): Promise<{ path: string; name: string }> {
  const options = { binary: BROWSERS.find((path) => existsSync(path)), args: ['--automation'] };
  const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': options } };
  type Opened = { sessionId: string; capabilities: { browserName: string; browserVersion: string } };
  const opened = await call<Opened>('POST', '/session', { capabilities });
  const { browserName, browserVersion } = opened.capabilities;
  return { path: `/session/${opened.sessionId}`, name: `${browserName} ${browserVersion}` };
}

/** Starts the driver with a display of its own. Both end with the group of processes that they are in. */
export async function startWebKit(): Promise<Engine> {
  const command = ['-a', 'WebKitWebDriver', `--port=${String(PORT)}`];
  const env = { ...process.env, ...ENVIRONMENT };
  const driver = spawn('xvfb-run', command, { stdio: 'ignore', detached: true, env });
  const stop = () => void (driver.pid !== undefined && driver.exitCode === null && process.kill(-driver.pid));
  try {
    await untilReady();
    const { path, name } = await openSession();
    await call('POST', `${path}/window/rect`, PHONE);
    return {
      name,
      open: (url) => call('POST', `${path}/url`, { url }),
      run: (script) => call('POST', `${path}/execute/sync`, { script, args: [] }),
      click: async (value) => {
        const found = await call<Record<string, string>>('POST', `${path}/element`, { using: 'css selector', value });
        await call('POST', `${path}/element/${found[ELEMENT] ?? ''}/click`, {});
      },
      picture: async () => Buffer.from(await call<string>('GET', `${path}/screenshot`), 'base64'),
      close: async () => {
        await call('DELETE', path).catch(() => {});
        stop();
      },
    };
  } catch (cause) {
    stop();
    throw cause;
  }
}
