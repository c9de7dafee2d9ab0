import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { createTestEventId, eventBody, testBody } from '../../src/webhooks/event.ts';
import { signWebhook } from '../../src/webhooks/signature.ts';
import { inheritedEnvironment } from '../../rig/processes/inherited-environment.ts';

/** The example receiver for merchants, run as a process against what the server really sends. */

const EXAMPLE = fileURLToPath(new URL('../../../../examples/webhook-receiver/receiver.mjs', import.meta.url));
const LIBRARY = dirname(dirname(fileURLToPath(import.meta.resolve('standardwebhooks'))));
const secret = `whsec_${randomBytes(24).toString('base64')}`;
const MINUTE_SECONDS = 60;

let folder: string;
let child: ChildProcess;
let url: string;
const lines: Record<string, unknown>[] = [];
beforeAll(async () => {
  // The example is copied next to the library, as in a merchant's project.
  folder = await mkdtemp(join(tmpdir(), 'counterfoil-example-'));
  await copyFile(EXAMPLE, join(folder, 'receiver.mjs'));
  await symlink(join(LIBRARY, '..'), join(folder, 'node_modules'));
  child = spawn(process.execPath, [join(folder, 'receiver.mjs')], {
    env: { ...inheritedEnvironment(), WEBHOOK_SECRET: secret, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { stdout } = child;
  if (!stdout) throw new Error('The example has no output.');
  const output = createInterface(stdout);
  const [first] = (await once(output, 'line')) as [string];
  output.on('line', (line) => lines.push(JSON.parse(line) as Record<string, unknown>));
  url = `http://127.0.0.1:${String((JSON.parse(first) as { listening: number }).listening)}/callback`;
});
afterAll(async () => {
  child.kill();
  await once(child, 'exit');
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  lines.length = 0;
});

const nowSeconds = () => Math.floor(systemClock.nowMs() / 1000);

function newEvent(): { id: string; body: string } {
  const id = createTestEventId();
  const facts = { type: 'invoice.completed', sequence: 1, status: 'completed', late: false } as const;
  const named = { createdAt: nowSeconds(), transId: 'TID-0000000000000001', requestId: 'order-ü', data: {} };
  return { id, body: eventBody(id, { ...facts, ...named }) };
}

async function post(event: { id: string; body: string }, atSeconds: number, sent = event.body): Promise<number> {
  const headers = { 'content-type': 'application/json', ...signWebhook([secret], event.id, atSeconds, event.body) };
  return (await fetch(url, { method: 'POST', headers, body: sent })).status;
}

test('an event is accepted, and its repetition is accepted without being handled again', async () => {
  const event = newEvent();
  expect(await post(event, nowSeconds())).toBe(204);
  expect(await post(event, nowSeconds() + 1)).toBe(200);
  await expect.poll(() => lines).toEqual([{ handled: event.id, event: 'invoice.completed', order: 'order-ü' }]);
});

test('a test event is accepted and nothing is handled by it', async () => {
  const id = createTestEventId();
  expect(await post({ id, body: testBody(id, nowSeconds()) }, nowSeconds())).toBe(204);
  const event = newEvent();
  expect(await post(event, nowSeconds())).toBe(204);
  await expect.poll(() => lines).toMatchObject([{ handled: event.id }]);
});

test('a tampered event is refused, and the true one is still accepted', async () => {
  const event = newEvent();
  expect(await post(event, nowSeconds(), event.body.replace('completed', 'expired'))).toBe(401);
  expect(await post(event, nowSeconds())).toBe(204);
});

test('an old event is refused, however well it is signed', async () => {
  const event = newEvent();
  expect(await post(event, nowSeconds() - 6 * MINUTE_SECONDS)).toBe(401);
  expect(await post(event, nowSeconds() - 4 * MINUTE_SECONDS)).toBe(204);
});

test('what is unsigned, too large or not posted is refused', async () => {
  expect((await fetch(url, { method: 'POST', body: newEvent().body })).status).toBe(401);
  expect((await fetch(url)).status).toBe(405);
  const large = { id: createTestEventId(), body: 'x'.repeat(100_000) };
  expect(await post(large, nowSeconds()).catch(() => 413)).toBe(413);
  expect(lines).toEqual([]);
});

test('while a secret is rotated, one of two signatures suffices', async () => {
  const event = newEvent();
  const other = `whsec_${randomBytes(24).toString('base64')}`;
  const headers = { ...signWebhook([other, secret], event.id, nowSeconds(), event.body) };
  expect((await fetch(url, { method: 'POST', headers, body: event.body })).status).toBe(204);
});
