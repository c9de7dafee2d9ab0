import { Readable } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { readBytes } from '../api/request-body.ts';
import { toDashboardError } from './dashboard-answers.ts';

test('a caller who disconnects while they send a body causes no internal error', async () => {
  const body = Object.assign(new Readable({ read: () => {} }), { headers: {} }) as unknown as IncomingMessage;
  const read = readBytes(body).catch(toDashboardError);
  body.destroy(new Error('aborted'));
  expect(await read).toMatchObject({ code: 'VALIDATION_ERROR', status: 400 });
});
