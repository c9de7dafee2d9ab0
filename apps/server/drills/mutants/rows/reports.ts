import type { Mutant } from '../mutant.ts';
import { lines } from '../mutant.ts';

/** Planted bugs in webhooks, emails, notices, daily figures and exports. */
export const REPORTS_MUTANTS: readonly Mutant[] = [
  {
    name: 'decided-mail-sent-again',
    edits: [
      { file: 'src/mail/send-mail.ts', find: "if (mail?.state !== 'queued') return;", replace: 'if (!mail) return;' },
    ],
    suite: 'src/mail/send-mail.test.ts',
    title: 'is not sent again when its job runs a second time',
  },
  {
    name: 'mail-set-up-by-process',
    edits: [
      {
        file: 'src/notices/sweep-notices.ts',
        find: '  if (!(await isMailSetUp(context.database.queries, context.clock))) return;',
        replace: '  await isMailSetUp(context.database.queries, context.clock);',
      },
    ],
    suite: 'test/notices/notices.test.ts',
    title: 'nothing is told, and a worker tells it when email is set up',
  },
  {
    name: 'lost-lease-decides',
    edits: [
      {
        file: 'src/webhooks/attempt-sql.ts',
        find: "d.state = 'pending' and (d.attempts = a.number or a.state = 'delivered')",
        replace: "d.state = 'pending'",
      },
    ],
    suite: 'test/webhooks/schedule.test.ts',
    title:
      'an attempt whose lease was lost does not decide while another worker makes the next one, unless it delivered',
  },
  {
    name: 'unsigned-counted',
    edits: [
      {
        file: 'src/webhooks/delivery-sql.ts',
        find: "leased_until = '-infinity', attempts = d.attempts - 1,",
        replace: "leased_until = '-infinity', attempts = d.attempts,",
      },
    ],
    suite: 'test/webhooks/unsigned.test.ts',
    title: 'a delivery that cannot be signed for 30 days counts no attempt, and is sent when it can be signed',
  },
  {
    name: 'attempts-overflow',
    edits: [
      {
        file: 'src/webhooks/delivery-sql.ts',
        find: 'attempts = least(d.attempts::integer + 1, ${MAX_COUNT}),',
        replace: 'attempts = d.attempts + 1,',
      },
    ],
    suite: 'test/webhooks/unsigned.test.ts',
    title: 'a delivery whose counters are at their end stops no webhook of any store, its own included',
  },
  {
    name: 'erased-while-redelivered',
    edits: [
      {
        file: 'src/webhooks/retention-sql.ts',
        find: 'where e.id = any(${ids}::bigint[]) and ${NOTHING_PENDING} returning',
        replace: 'where e.id = any(${ids}::bigint[]) returning',
      },
    ],
    suite: 'test/webhooks/retention.test.ts',
    title: 'a body whose event is sent again after it was chosen for erasure is kept',
  },
  {
    name: 'low-balance-mail-when-over',
    edits: [
      {
        file: 'src/notices/gather-notice.ts',
        find: lines(
          '  if (!notice || notice.overAt !== null || notice.storeId === null) return undefined;',
          '  const available',
        ),
        replace: lines('  if (!notice || notice.storeId === null) return undefined;', '  const available'),
      },
    ],
    suite: 'test/notices/notices.test.ts',
    title: 'is not told by a mail that waited until it had recovered',
  },
  {
    name: 'any-host-recovers',
    edits: [
      {
        file: 'src/notices/notice-fact-sql.ts',
        find: 'o.answered_at > p.failing_since and o.host = p.host)`',
        replace: 'o.answered_at > p.failing_since)`',
      },
    ],
    suite: 'test/notices/notices.test.ts',
    title: 'is told although another host of the same store answers, and is not back because of it',
  },
  {
    name: 'idle-stores-mailed',
    edits: [
      {
        file: 'src/notices/notice-fact-sql.ts',
        find: 'd.day >= ${since}::date and d.completed > 0) as sells',
        replace: 'd.day >= ${since}::date) as sells',
      },
    ],
    suite: 'test/notices/notices.test.ts',
    title: 'is not told to an idle store with an empty balance',
  },
  {
    name: 'day-without-slack',
    edits: [
      {
        file: 'src/days/count-days.ts',
        find: 'const endId = await idAt(endMs + SLACK_MS);',
        replace: 'const endId = await idAt(endMs);',
      },
    ],
    suite: 'test/days/store-days.test.ts',
    title: 'counts an invoice that was created before midnight and has a higher id than one created after',
  },
  {
    name: 'empty-days-stay',
    edits: [
      {
        file: 'src/days/count-days.ts',
        find: 'filter((key) => !counted.has(keyOf(key)));',
        replace: 'filter((key) => counted.has(keyOf(key)) && false);',
      },
    ],
    suite: 'test/days/store-days.test.ts',
    title: 'has no row of a network and token that no payment of the day has any more',
  },
  {
    name: 'home-counts-gone-money',
    edits: [
      {
        file: 'src/home/home-sql.ts',
        find: 't.reason is not null and t.canonical',
        replace: 't.reason is not null',
      },
    ],
    suite: 'test/dashboard/home.test.ts',
    title: 'does not call for attention to money that left the chain',
  },
  {
    name: 'transfers-of-one-height-skipped',
    edits: [
      {
        file: 'src/exports/transfer-page-sql.ts',
        find: 'and (t.height, t.id) > (${after.height}, ${after.id})',
        replace: 'and t.height > ${after.height} and t.id > ${after.id}::bigint * 0',
      },
    ],
    suite: 'test/exports/exported-rows.test.ts',
    title: 'an export of transfers has all transfers of one block, over the borders of its pages',
  },
  {
    name: 'statement-ends-now',
    edits: [
      {
        file: 'src/exports/export.ts',
        find: "kind === 'statement' ? wholeUnits(nowMs - SETTLED_AFTER_MS, MINUTE_MS) : nowMs;",
        replace: "kind === 'statement' ? wholeUnits(nowMs - 0 * SETTLED_AFTER_MS, MINUTE_MS) : nowMs;",
      },
    ],
    suite: 'test/exports/statement-join.test.ts',
    title: 'an entry that is committed after a statement was made is in the next statement, once',
  },
  {
    name: 'rescan-undoes-poll',
    edits: [
      {
        file: 'src/accounts/rescan-statement.ts',
        find: 'const read = { rows: found, ranges, nowMs, overtaken };',
        replace: 'const read = { rows: found, ranges, nowMs, overtaken: new Set<string>([...overtaken].slice(0, 0)) };',
      },
    ],
    suite: 'test/exchanges/guards.test.ts',
    title: 'leaves a row final that it has read as pending',
  },
  {
    name: 'ledger-check-ignores-captures',
    edits: [
      {
        file: 'src/ledger/ledger-sql.ts',
        find: 'from compared where captured <> captured_due',
        replace: 'from compared where captured <> captured_due and held <> held_due',
      },
    ],
    suite: 'src/ledger/ledger-sql.test.ts',
    title: 'the ledger check finds a fee that was captured for an expired invoice',
  },
];
