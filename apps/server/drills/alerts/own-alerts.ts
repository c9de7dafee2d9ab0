import { setTimeout as wait } from 'node:timers/promises';
import { hangLimitMs } from '../../rig/processes/hang-limit.ts';
import { holdsInTime } from '../../rig/processes/wait-until.ts';
import type { Faults } from '../../rig/report/faults.ts';
import type { AlarmKind } from '../../src/audit/alarm.ts';
import { ALARMS } from '../../src/audit/alarm.ts';
import type { World } from './world.ts';

/** The alerts that workers themselves send: one for each kind of alarm and hour, and one when the kind is over. */

type OwnFigures = {
  own_raised: number;
  own_over: number;
  own_emails: number;
  own_wrong: number;
  heartbeats: number;
};

type Sent = { kind: AlarmKind; phase: 'raised' | 'over'; channel: 'email' | 'url'; state: string };

const POLL_MS = 500;
const LIMIT_MS = 90_000;
/** A state whose end this drill sees; the other states are over only hours after their last alarm. */
const ENDED_STATES = new Set<AlarmKind>(['mail-server-unusable', 'exchange-account-stopped', 'exchange-key-refused']);

/** Kinds that a fault of another name brings with it: a network that was added has one provider. */
const ALSO = new Set<AlarmKind>(['single-provider', 'wrong-chain', 'payment-reverted']);

const mailsOf = ({ mail, operator }: World) =>
  mail.received.filter(({ to }) => to.includes(operator.mail)).map(({ source }) => source);
const messageId = (source: string) => /^Message-ID: (\S+)/im.exec(source)?.[1] ?? '';
const doubled = (texts: readonly string[]) => texts.length - new Set(texts).size;

const listSent = async ({ database }: World) =>
  (await database.pool.query<Sent>('select kind, phase, channel, state from alerts')).rows;
/** Kinds that were reported; an alarm that is acknowledged before its alert is due is not. */
const listKinds = async ({ database }: World) =>
  (
    await database.pool.query<{ kind: AlarmKind }>('select distinct kind from alarms where alerted_at is not null')
  ).rows.map(({ kind }) => kind);

const endsHere = (kind: AlarmKind) => ALARMS[kind].nature === 'event' || ENDED_STATES.has(kind);

/** What the operator's URL still lacks: each kind was raised, and each that ends here is over. */
async function findLacking(world: World): Promise<string[]> {
  const has = (event: string, kind: AlarmKind) =>
    world.operator.alerts.some((one) => one.event === event && one.kind === kind);
  const kinds = await listKinds(world);
  return [
    ...kinds.filter((kind) => !has('alarm.raised', kind)).map((kind) => `nobody was notified of ${kind}`),
    ...kinds
      .filter((kind) => endsHere(kind) && !has('alarm.over', kind))
      .map((kind) => `nobody was notified that ${kind} is over`),
  ];
}

function findFaults(world: World, sent: readonly Sent[], planted: ReadonlySet<string>): string[] {
  const { alerts } = world.operator;
  const mails = mailsOf(world);
  const mailed = sent.filter(({ channel, state }) => channel === 'email' && state === 'sent').length;
  return [
    ...alerts.filter(({ verified }) => !verified).map(({ id }) => `the signature of ${id} is wrong`),
    ...alerts
      .filter(({ kind, urgency }) => ALARMS[kind as AlarmKind].urgency !== urgency)
      .map(({ id, urgency }) => `${id} has the urgency ${urgency}`),
    ...(doubled(alerts.map(({ id }) => id)) > 0 ? ['an alert was posted twice'] : []),
    ...(doubled(mails.map(messageId)) > 0 ? ['an alert was mailed twice'] : []),
    ...(mails.length === mailed ? [] : [`${mails.length} emails arrived, and ${mailed} were sent`]),
    ...(mails.length === 0 && planted.size > 0 ? ['no email about an alarm arrived'] : []),
  ];
}

/** Judges the product's own alerts after every alarm was acknowledged; `planted` are the kinds that faults raise. */
export async function judgeOwnAlerts(world: World, planted: ReadonlySet<string>, found: Faults): Promise<OwnFigures> {
  let lacking: string[] = [];
  const isComplete = async () => {
    lacking = [...(await findLacking(world)), ...findFaults(world, await listSent(world), planted)];
    return lacking.length === 0;
  };
  await holdsInTime(isComplete, { timeoutMs: hangLimitMs(LIMIT_MS), pause: () => wait(POLL_MS) });
  const strange = (await listKinds(world)).filter((kind) => !planted.has(kind) && !ALSO.has(kind));
  const wrong = [...lacking, ...strange.map((kind) => `${kind} was raised without a fault`)];
  for (const one of wrong) found.add(one);
  const { alerts, beats } = world.operator;
  return {
    own_raised: alerts.filter(({ event }) => event === 'alarm.raised').length,
    own_over: alerts.filter(({ event }) => event === 'alarm.over').length,
    own_emails: mailsOf(world).length,
    own_wrong: wrong.length,
    heartbeats: beats.length,
  };
}
