import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { HttpReceiver } from '../rig/fakes/http-receiver.ts';
import { startHttpReceiver } from '../rig/fakes/http-receiver.ts';
import { SILENT } from '../rig/jobs/job-fixture.ts';
import type { MailFixture } from '../rig/mail/mail-fixture.ts';
import { addressOf, openMailFixture, serverOf } from '../rig/mail/mail-fixture.ts';
import { createAlertLoops } from '../src/alert-loops.ts';
import { systemClock } from '../src/lib/clock.ts';
import { createTransport } from '../src/mail/create-transport.ts';

/** The loops of a worker that sends alerts by email and to a URL. */

let fixture: MailFixture;
let hook: HttpReceiver;
beforeAll(async () => {
  fixture = await openMailFixture(inject('template'));
  hook = await startHttpReceiver();
});
afterAll(async () => {
  await hook.close();
  await fixture.close();
});

test('a URL that does not answer delays no alert by email', async () => {
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  hook.answer = (_request, response) => {
    asked.resolve();
    void answered.promise.then(() => response.writeHead(204).end());
  };
  for (const kind of ['deep-reorg', 'found-late', 'job-failed'])
    await fixture.database.pool.query(`insert into alarms (at, kind, subject, details) values (now(), $1, 'x', '{}')`, [
      kind,
    ]);
  const { loops, close } = createAlertLoops(
    { database: fixture.as('worker'), clock: systemClock, log: SILENT, pace: 1 },
    {
      email: addressOf('oncall@acme.example'),
      webhook: { url: `http://127.0.0.1:${hook.port}/alarms`, secret: `whsec_${'A'.repeat(32)}` },
    },
    {
      server: serverOf(fixture),
      transport: createTransport(serverOf(fixture), fixture.certificate.certificate),
    },
  );
  const [byEmail, byUrl, ...more] = loops;
  if (!byEmail || !byUrl || more.length > 0) throw new Error('There is one loop for each channel.');
  const posting = byUrl.body();
  await asked.promise;
  for (let isDue = true; isDue;) isDue = await byEmail.body();
  expect(fixture.receiver.received).toHaveLength(3);
  expect(hook.requests).toHaveLength(1);
  answered.resolve();
  await posting;
  await close();
});
