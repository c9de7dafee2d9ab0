import { LANGUAGE_CODES } from '@counterfoil/core/language.ts';
import { z } from 'zod';
import { wholeNumber } from '../config/setting.ts';
import { sleep } from '../lib/loop.ts';
import { findMail } from '../mail/mail-sql.ts';
import { sendTestMail } from '../mail/send-test-mail.ts';
import { command } from './command.ts';
import type { OperatorContext } from './operator-context.ts';

const MAX_WAIT_SECONDS = 60;
const POLL_MS = 100;

const testInput = z.object({
  to: z.string(),
  language: z.enum(LANGUAGE_CODES).default('en'),
  wait: wholeNumber(0, MAX_WAIT_SECONDS).default(20),
});

const NOTES = {
  queued: 'No worker has sent it yet. Workers that have COUNTERFOIL_MAIL_URL send emails, and retry for half a day.',
  sent: 'The mail server accepted it.',
  failed: 'It was not sent, and will not be retried.',
  unsent: 'Nothing was sent: no process with a mail server (COUNTERFOIL_MAIL_URL) has run in the last 7 days.',
  dropped: 'It was not sent, because it was no longer needed.',
};

/** Waits until the mail is decided, a first attempt has failed, or the time is over: it may be that no worker runs. */
async function awaitOutcome({ database, clock }: OperatorContext, mailId: bigint, waitSeconds: number) {
  const untilMs = clock.nowMs() + waitSeconds * 1_000;
  for (;;) {
    const mail = await findMail(database.queries, mailId);
    const hasNews = mail !== undefined && (mail.state !== 'queued' || mail.attempts > 0);
    if (hasNews || clock.nowMs() >= untilMs) return mail;
    await sleep(POLL_MS, new AbortController().signal);
  }
}

const test = command<OperatorContext, typeof testInput>('mail test', {
  summary: 'Send a test email like any other, and show the result. Audited.',
  options: {
    to: 'ADDRESS           one plain address',
    language: `LANGUAGE    ${LANGUAGE_CODES.join(', ')} (en)`,
    wait: 'SECONDS         for the first attempt, at most 60 (20)',
  },
  input: testInput,
  run: async (context, { to, language, wait }) => {
    const outbox = await context.outbox();
    const { mailId } = await sendTestMail(context, context.actor, { outbox, to, language });
    const mail = await awaitOutcome(context, mailId, wait);
    const state = mail?.state ?? 'queued';
    const error = mail?.lastError ?? undefined;
    return { mail: mailId, state, attempts: mail?.attempts ?? 0, ...(error && { error }), note: NOTES[state] };
  },
});

export const mailCommands = [test];
