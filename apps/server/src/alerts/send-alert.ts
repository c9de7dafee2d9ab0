import type { Logger } from 'pino';
import type { Context } from '../db/context.ts';
import { unixSeconds } from '../lib/clock.ts';
import type { Outbound } from '../lib/outbound-http.ts';
import { showLife } from '../lib/watchdog.ts';
import type { MailTransport } from '../mail/create-transport.ts';
import type { MailAddress } from '../mail/mail-address.ts';
import { judgeFault } from '../mail/mail-fault.ts';
import type { MailServer } from '../mail/mail-server.ts';
import { signWebhook } from '../webhooks/signature.ts';
import type { Alert, AlertChannel } from './alert.ts';
import { MAX_ATTEMPTS, nextAttemptAt } from './alert.ts';
import { claimAlert, saveOutcome } from './alert-sql.ts';
import { alertBody, alertId, renderAlertMail } from './alert-message.ts';

/** Where alerts go: each channel that is configured. */
export type AlertReceivers = {
  email?: { to: MailAddress; server: MailServer; transport: Pick<MailTransport, 'send'> } | undefined;
  url?: { url: string; secret: string; outbound: Outbound } | undefined;
};

type SendContext = Context & { receivers: AlertReceivers; log: Logger };

/** How long a claimed alert belongs to its worker: longer than an attempt may take. */
const CLAIM_MS = 120_000;
const POST_TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 65_536;
const HEADERS = { 'content-type': 'application/json', 'user-agent': 'Counterfoil-Alarms/1' } as const;

/** An attempt that failed; `final` when another one would fail in the same way. */
type Failure = { error: string; final: boolean };

export function channelsOf({ email, url }: AlertReceivers): AlertChannel[] {
  return [...(email ? (['email'] as const) : []), ...(url ? (['url'] as const) : [])];
}

async function mailAlert({ receivers: { email } }: SendContext, alert: Alert): Promise<Failure | undefined> {
  if (!email) return { error: 'No email address is configured.', final: false };
  const { to, server, transport } = email;
  const domain = server.from.address.shown.split('@')[1];
  const rendered = renderAlertMail(alert, new URL(server.dashboardUrl).host);
  try {
    await transport.send({ ...rendered, to, messageId: `<alert-${alert.id}.${alert.createdAt.getTime()}@${domain}>` });
    return undefined;
  } catch (cause) {
    const { kind, reason } = judgeFault(cause);
    return { error: reason, final: kind === 'refused' };
  }
}

async function postAlert({ receivers, clock }: SendContext, alert: Alert): Promise<Failure | undefined> {
  if (!receivers.url) return { error: 'No URL is configured.', final: false };
  const { url, secret, outbound } = receivers.url;
  const body = alertBody(alert);
  const signed = signWebhook([secret], alertId(alert), unixSeconds(new Date(clock.nowMs())), body);
  const result = await outbound.post(url, {
    headers: { ...HEADERS, ...signed },
    body,
    timeoutMs: POST_TIMEOUT_MS,
    maxResponseBytes: MAX_RESPONSE_BYTES,
  });
  if ('error' in result) return { error: `${result.error}: ${result.message}`, final: false };
  const isTaken = result.status >= 200 && result.status < 300;
  return isTaken ? undefined : { error: `The URL answered ${result.status}.`, final: false };
}

/**
 * Sends the alert that is due longest, outside of any transaction; false when none is due. A worker that dies after the
 * receiver took the alert leads to a second attempt, with the same message id or webhook id.
 */
export async function sendAlert(context: SendContext): Promise<boolean> {
  const { database, clock, receivers, log } = context;
  const nowMs = clock.nowMs();
  const claim = { now: new Date(nowMs), until: new Date(nowMs + CLAIM_MS) };
  const alert = await claimAlert(database.queries, channelsOf(receivers), claim);
  if (!alert) return false;
  const { kind, channel, attempts } = alert;
  const attempt = channel === 'email' ? mailAlert : postAlert;
  const failure =
    attempts > MAX_ATTEMPTS ? { error: 'Its last attempt did not end.', final: true } : await attempt(context, alert);
  showLife();
  const endedMs = clock.nowMs();
  const again = failure && !failure.final ? nextAttemptAt(attempts, endedMs) : undefined;
  const state = failure ? (again ? 'pending' : 'failed') : 'sent';
  if (failure) log.error({ kind, channel, attempts, state, reason: failure.error }, 'an alert could not be sent');
  const at = again ?? new Date(endedMs);
  await saveOutcome(database.queries, alert, { state, at, error: failure?.error ?? null });
  return true;
}
