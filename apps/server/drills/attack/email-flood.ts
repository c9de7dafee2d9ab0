import { makePerson } from '../../rig/people/make-person.ts';
import { percentile } from '../../rig/report/percentile.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import { steadyClock } from '../../src/lib/clock.ts';
import type { Beside } from './beside.ts';
import { shareOfLimit, shootFrom } from './beside.ts';
import type { FloodSite } from './flood-site.ts';
import { browserAt, joinTeam, pageHeaders } from './flood-site.ts';
import type { Shot } from './shots.ts';

/** An admin toggles a role and invites strangers, while somebody of another merchant waits for a reset email. */

const AT_ONCE = 4;
const POLL_MS = 10;

type Waited = { ms: number; /** Emails that the mail server got between the request and this email. */ turns: number };

async function waitForReset(site: FloodSite, number: number): Promise<Waited> {
  const { mail } = await makePerson(site);
  const { received } = site.receiver;
  const before = received.length;
  const startedMs = steadyClock.nowMs();
  const { status } = await browserAt(site, `192.0.2.${100 + number}`).send('POST', '/forgot', { mail });
  if (status !== 200) throw new Error(`The request for a reset answered ${status}.`);
  const at = () => received.findIndex(({ to }) => to.includes(mail));
  await waitUntil(() => at() >= 0, { what: 'No reset email came.', pollMs: POLL_MS });
  return { ms: steadyClock.nowMs() - startedMs, turns: at() - before };
}

async function waitForResets(site: FloodSite, from: number, until?: Promise<unknown>): Promise<Waited[]> {
  const QUIET_TIMES = 8;
  const all: Waited[] = [];
  let isOver = false;
  void until?.then(() => (isOver = true));
  while (until ? !isOver : all.length < QUIET_TIMES) all.push(await waitForReset(site, from + all.length));
  return all;
}

export type EmailFlood = Beside & { turns: number; sent: number };

export async function attackMail(site: FloodSite, seconds: number): Promise<EmailFlood> {
  const { attacker } = site;
  await joinTeam(site, attacker.store, 'owner');
  const member = await joinTeam(site, attacker.store, 'viewer');
  const headers = pageHeaders(site, attacker.person.browser.cookie);
  const team = `/api/dashboard/accounts/${attacker.account}/team`;
  const toggle = (role: string): Shot => ({
    method: 'PATCH',
    path: `${team}/${member.person.code}`,
    headers,
    body: JSON.stringify({ role }),
  });
  const invite: Shot = {
    method: 'POST',
    path: `${team}/invitations`,
    headers,
    body: JSON.stringify({ mail: 'stranger-%N@strangers.test', role: 'viewer' }),
  };
  const quiet = await waitForResets(site, 0);
  const before = site.receiver.received.length;
  const shots = [toggle('finance'), invite, toggle('viewer'), invite];
  const flooding = shootFrom({ url: site.server.url, shots, addresses: ['10.61.0.1'], atOnce: AT_ONCE, seconds });
  const during = await waitForResets(site, quiet.length, flooding);
  const told = JSON.stringify(await flooding);
  const [quietMs, ms] = [quiet, during].map((all) =>
    percentile(
      all.map((one) => one.ms),
      0.99,
      0,
    ),
  ) as [number, number];
  const turns = Math.max(...during.map((one) => one.turns));
  const sent = site.receiver.received.length - before - during.length;
  console.log(
    `${'email_flood'.padEnd(34)} neighbour: ${during.length} reset emails, p99 ${Math.round(quietMs)} -> ${Math.round(ms)} ms, after ${turns} others at most; ${sent} sent by the flood; ${told}`,
  );
  const seen = { quiet_p99_ms: Math.round(quietMs), p99_ms: Math.round(ms), errors: 0, asked: during.length };
  return { part: 'email_flood', ...seen, share: shareOfLimit(quietMs, ms), turns, sent };
}
