import type { Mutant } from '../mutant.ts';

const SUITE = 'test/engine/cancel.test.ts';
const AFTER = 'one second after the cancel goes to the inbox as cancelled, also within the grace of its store';

/** Bugs in cancelling invoices. */
export const CANCELS_MUTANTS: readonly Mutant[] = [
  {
    name: 'cancel-with-payment',
    edits: [
      {
        file: 'src/invoices/cancellation.ts',
        find: "status === 'waiting' && !attached ? 'cancel'",
        replace: "status === 'waiting' && (attached || true) ? 'cancel'",
      },
    ],
    suite: SUITE,
    title: 'a payment that is recorded first refuses the cancel that waits for it',
  },
  {
    name: 'cancel-keeps-window',
    edits: [
      {
        file: 'src/invoices/change-invoice-sql.ts',
        find: 'sql`least(i.expires_at, i.cancelled_at)`',
        replace: 'sql`i.expires_at`',
      },
    ],
    suite: SUITE,
    title: AFTER,
  },
  {
    name: 'cancel-second-too-early',
    edits: [
      {
        file: 'src/invoices/change-invoice-sql.ts',
        find: 'sql`least(i.expires_at, i.cancelled_at)`',
        replace: "sql`least(i.expires_at, i.cancelled_at - interval '1 second')`",
      },
    ],
    suite: SUITE,
    title: 'in the second of the cancel completes it late, without an alarm',
  },
  {
    name: 'cancel-releases-twice',
    edits: [
      {
        file: 'src/invoices/cancellation-sql.ts',
        find: 'await sql`update invoices set cancelled_at = ${cancelledAt}, cancelled_by = ${by} where id = ${id}`.execute(tx);',
        replace:
          'await sql`with c as (update invoices set cancelled_at = ${cancelledAt}, cancelled_by = ${by} where id = ${id} returning store_id, fee_micro_usd) update balances b set available_micro_usd = b.available_micro_usd + c.fee_micro_usd from c where b.store_id = c.store_id`.execute(tx);',
      },
    ],
    suite: SUITE,
    title: 'is expired and cancelled immediately, with its end unchanged, its hold released and its event written',
  },
  {
    name: 'cancel-keeps-grace',
    edits: [
      {
        file: 'src/invoices/change-invoice-sql.ts',
        find: 'case when i.cancelled_at is null then i.expires_at + make_interval(mins => s.grace_minutes) else ${WINDOW_END} end',
        replace: 'i.expires_at + make_interval(mins => s.grace_minutes)',
      },
    ],
    suite: SUITE,
    title: AFTER,
  },
  {
    name: 'cancel-without-reason',
    edits: [
      {
        file: 'src/invoices/change-invoice-sql.ts',
        find: "case when t.block_time > i.cancelled_at then 'cancelled' else 'late' end",
        replace: "'late'",
      },
    ],
    suite: SUITE,
    title: AFTER,
  },
];
