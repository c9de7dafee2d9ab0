import type { Mutant } from '../mutant.ts';
import { lines } from '../mutant.ts';

/** Bugs in changing the status of invoices. */
export const INVOICE_CHANGES_MUTANTS: readonly Mutant[] = [
  {
    name: 'event-outside-transaction',
    edits: [
      {
        file: 'src/invoices/change-invoices.ts',
        find: 'givenUp: ReadonlySet<bigint> = NONE,',
        replace: lines('givenUp: ReadonlySet<bigint> = NONE,', '  afterCommit?: ((tx: Tx) => Promise<void>)[],'),
      },
      {
        file: 'src/invoices/change-invoices.ts',
        find: 'await recordEvents(tx, at, [...ended, ...processing]);',
        replace: lines(
          'if (afterCommit) {',
          '    afterCommit.push((later) => recordEvents(later, at, ended));',
          '    return;',
          '  }',
          '  await recordEvents(tx, at, [...ended, ...processing]);',
        ),
      },
      {
        file: 'src/invoices/expire-due-invoices.ts',
        find: 'const passed = await inTransaction(database, async (tx) => {',
        replace: lines(
          'const afterCommit: ((tx: Tx) => Promise<void>)[] = [];',
          '  const passed = await inTransaction(database, async (tx) => {',
        ),
      },
      {
        file: 'src/invoices/expire-due-invoices.ts',
        find: 'await changeInvoices(tx, at, covered, new Set(covered));',
        replace: 'await changeInvoices(tx, at, covered, new Set(covered), new Set(), afterCommit);',
      },
      {
        file: 'src/invoices/expire-due-invoices.ts',
        find: "if (passed > 0) await failpoint('expire:after-commit');",
        replace: lines(
          'for (const write of afterCommit) await inTransaction(database, write);',
          "  if (passed > 0) await failpoint('expire:after-commit');",
        ),
      },
    ],
    suite: 'test/engine/mutant-commit.test.ts',
    title: 'an invoice does not expire, and does so with its event and its release afterwards',
  },
  {
    name: 'slot-released-early',
    edits: [
      {
        file: 'src/invoices/change-invoices.ts',
        find: "import { QUARANTINE_HOURS } from '../quotes/quote.ts';\n",
        replace: '',
      },
      {
        file: 'src/invoices/change-invoices.ts',
        find: "import { HOUR_MS } from '@counterfoil/core/duration.ts';\n",
        replace: '',
      },
      {
        file: 'src/invoices/change-invoices.ts',
        find: 'new Date(at.getTime() + QUARANTINE_HOURS * HOUR_MS),',
        replace: 'at,',
      },
    ],
    suite: 'test/engine/mutant-expiry.test.ts',
    title: 'the amount of an ended invoice is in quarantine for a day, whether it was paid or not',
  },
  {
    name: 'double-capture',
    edits: [
      {
        file: 'src/invoices/change-invoices.ts',
        find: 'const lateHolds = afterExpiry.map(({ invoice }) => ({',
        replace: 'const lateHolds = completed.map(({ invoice }) => ({',
      },
    ],
    suite: 'test/engine/mutant-commit.test.ts',
    title: 'a paid invoice costs its fee once, however often its payment is applied',
  },
  {
    name: 'other-is-not-gone',
    edits: [
      {
        file: 'src/invoices/change-invoice-sql.ts',
        find: 'const IS_GONE = sql`(not t.canonical or t.invoice_id is distinct from i.id)`;',
        replace: 'const IS_GONE = sql`(not t.canonical)`;',
      },
    ],
    suite: 'test/engine/mutant-races.test.ts',
    title: 'a completed invoice whose payment turns out to be another transfer freezes its network',
  },
  {
    name: 'pending-forgets',
    edits: [
      {
        file: 'src/invoices/decide-pending-invoices.ts',
        find: 'const ids = await lockPending(tx, due);',
        replace: lines(
          'const ids = await lockPending(tx, due);',
          '    await changeInvoices(tx, new Date(clock.nowMs()), ids, NOTHING_COVERED);',
        ),
      },
      {
        file: 'src/invoices/decide-pending-invoices.ts',
        find: '    await changeInvoices(tx, new Date(clock.nowMs()), ids, NOTHING_COVERED);\n',
        replace: '',
      },
    ],
    suite: 'test/engine/frozen.test.ts',
    title: 'a network that freezes again while an expired invoice is decided still decides it later',
  },
  {
    name: 'quote-released-early',
    edits: [
      {
        file: 'src/invoices/change-invoice-sql.ts',
        find: 'quotes set held_to = ${until} where invoice_id =',
        replace: 'quotes set held_to = least(${until}::timestamptz, now()) where invoice_id =',
      },
    ],
    suite: 'test/sources/tron-traps.test.ts',
    title:
      'coins paid while their amount was still in quarantine are found, though the cursor is past its end by the second read',
  },
  {
    name: 'completed-amount-free',
    edits: [
      {
        file: 'src/invoices/change-invoices.ts',
        find: 'ended.map(({ invoice }) => invoice.id),',
        replace: 'expired.map(({ invoice }) => invoice.id),',
      },
    ],
    suite: 'test/engine/mutant-expiry.test.ts',
    title: 'the amount of an ended invoice is in quarantine for a day, whether it was paid or not',
  },
  {
    name: 'found-while-frozen',
    edits: [
      {
        file: 'src/invoices/change-invoices.ts',
        find: "return decision.status === 'expired' && hasStanding(payments);",
        replace: "return decision.status === 'processing' && hasStanding(payments);",
      },
    ],
    suite: 'test/engine/frozen.test.ts',
    title: 'a payment of an expired invoice that a recheck finds while frozen completes it when an operator unfreezes',
  },
  {
    name: 'settles-while-frozen',
    edits: [
      {
        file: 'src/invoices/change-invoice-sql.ts',
        find: 'const FROZEN = sql`(select network from chains where frozen_at is not null)`;\n',
        replace: '',
      },
      {
        file: 'src/invoices/change-invoice-sql.ts',
        find: '(t.network not in ${FROZEN} and (t.network, t.to_address) not in ${STOPPED}',
        replace: '(t.network not in ${RETIRED} and (t.network, t.to_address) not in ${STOPPED}',
      },
    ],
    suite: 'test/engine/frozen.test.ts',
    title: 'a freeze in the commit that covers other payments holds those back, and only until it is over',
  },
  {
    name: 'processing-forgotten',
    edits: [
      {
        file: 'src/invoices/decide-pending-invoices.ts',
        find: 'const due = await findDue(database, [...processing, ...expired]);',
        replace: 'const due = await findDue(database, [...processing.slice(0, 0), ...expired]);',
      },
    ],
    suite: 'test/engine/stuck.test.ts',
    title: 'waits again, expires at its end, and gives its fee back',
  },
  {
    name: 'seen-payment-expires',
    edits: [
      {
        file: 'src/invoices/invoice-status.ts',
        find: "if (payments.length > 0 && facts.givenUp !== true) return { status: 'processing' };",
        replace:
          "if (payments.length > 0 && !facts.covered && facts.givenUp !== true) return { status: 'processing' };",
      },
    ],
    suite: 'src/invoices/invoice-status.test.ts',
    title: 'deciding the status of an invoice: a seen payment is kept from a waiting invoice whose end is covered',
  },
  {
    name: 'ended-where-read',
    edits: [
      {
        file: 'src/invoices/end-invoice.ts',
        find: 'if (facts.payments.some(({ retired }) => !retired',
        replace: 'if (facts.payments.every(({ retired }) => !retired',
      },
    ],
    suite: 'src/invoices/end-invoice.test.ts',
    title: 'ending by a person an invoice that is paid on a network given up and on one that is read too, as expired',
  },
  {
    name: 'stopped-account-settles',
    edits: [
      {
        file: 'src/invoices/change-invoice-sql.ts',
        find: 'exchange_accounts where stopped_at is not null)`;',
        replace: "exchange_accounts where stopped_at = '-infinity')`;",
      },
    ],
    suite: 'test/exchanges/scenarios.test.ts',
    title: 'nothing completes or expires at a stopped account',
  },
  {
    name: 'any-payment-ends-stops',
    edits: [
      {
        file: 'src/invoices/change-invoice-sql.ts',
        find: 'and x.account not in (select account from lacking)`.execute(tx);',
        replace: "and x.account not in (select account from lacking where account = '')`.execute(tx);",
      },
    ],
    suite: 'test/exchanges/guards.test.ts',
    title: 'a payment that is back at one exchange account does not end the stop of another that still lacks its own',
  },
  {
    name: 'test-store-pays-fees',
    edits: [
      {
        file: 'src/invoices/create-invoice.ts',
        find: 'feeMicroUsd: store.live ? computeFee(amountUnits, store.feePlan, inTrial) : 0n,',
        replace: "feeMicroUsd: computeFee(amountUnits, store.feePlan, inTrial || store.shard === ''),",
      },
    ],
    suite: 'test/sandbox/sandbox-api.test.ts',
    title: 'merchants see the symbol of the chain, and a payment that nobody could make',
  },
  {
    name: 'one-back-ends-all-stops',
    edits: [
      {
        file: 'src/invoices/change-invoice-sql.ts',
        find: 'f.account not in (select account from lacking)`.execute(',
        replace: "f.account not in (select account from lacking where account = '')`.execute(",
      },
    ],
    suite: 'test/sandbox/sandbox-api.test.ts',
    title: 'a payment that is back lets its own store go on, and leaves the stop of another store alone',
  },
  {
    name: 'test-money-alarms',
    edits: [
      {
        file: 'src/invoices/change-invoices.ts',
        find: '.filter(({ id }) => live.has(id))',
        replace: '.filter(({ id }) => live.has(id) || live.size === 0)',
      },
    ],
    suite: 'test/sandbox/engine.test.ts',
    title: 'a test payment that is found after its invoice has expired completes it late and alarms nobody',
  },
  {
    name: 'persons-stop-ends',
    edits: [
      {
        file: 'src/invoices/change-invoice-sql.ts',
        find: "import { LOST_PAYMENT } from '../wallets/exchange-account-sql.ts';\n",
        replace: '',
      },
      {
        file: 'src/invoices/change-invoice-sql.ts',
        find: 'where x.network = ${network} and x.stopped_by = ${LOST_PAYMENT} and x.stopped_at is not null',
        replace: "where x.network = ${network} and x.stopped_by <> ${''} and x.stopped_at is not null",
      },
    ],
    suite: 'test/exchanges/guards.test.ts',
    title: 'does not end because a payment is back at another exchange account: an operator says so',
  },
  {
    name: 'row-settles-by-height',
    edits: [
      {
        file: 'src/invoices/change-invoice-sql.ts',
        find: "case when starts_with(t.network, ${PLATFORM_PREFIX}) then 'credited' else 'finalized' end)`;",
        replace: "case when starts_with(t.network, ${PLATFORM_PREFIX}) then 'finalized' else 'finalized' end)`;",
      },
    ],
    suite: 'test/exchanges/guards.test.ts',
    title:
      'a pending row that a person attached to an invoice without a quote there completes nothing until it is final',
  },
];
