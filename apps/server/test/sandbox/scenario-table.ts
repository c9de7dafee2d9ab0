/** What happens to one invoice, and what must come of it: on a chain and in the sandbox alike. */

export type Outcome = {
  status: string;
  late: boolean;
  transfers: { in_chain: boolean; pays: boolean; reason?: string }[];
  events: string[];
};

/** Steps that a column takes: each as its own world does it. */
export type Step =
  | { pay: 'exact' | 'short' | 'over' | 'wrong_token'; slow?: true }
  | { confirm: true }
  | { reorg: 'gone' | 'returns' }
  | { pass: 'end' }
  | { outage: 'begins' | 'ends' }
  /** The invoice is as described before the next step. */
  | { until: Partial<Outcome> };

export type Scenario = {
  name: string;
  steps: readonly Step[];
  outcome: Outcome;
  /** Kinds of ledger entries that a live store has of it: a fee is held, and then taken or given back. */
  ledger: readonly string[];
};

const PAID = { in_chain: true, pays: true };
const TOLD = ['invoice.completed'];
const unpaid = (reason: string) => ({ in_chain: true, pays: false, reason });
const GONE = { in_chain: false, pays: false };

const completed = (transfers: Outcome['transfers'], late = false): Outcome => ({
  status: 'completed',
  late,
  transfers,
  events: TOLD,
});
const waiting = (transfers: Outcome['transfers']): Outcome => ({
  status: 'waiting',
  late: false,
  transfers,
  events: [],
});
const expired = (transfers: Outcome['transfers']): Outcome => ({
  status: 'expired',
  late: false,
  transfers,
  events: ['invoice.expired'],
});

const CAPTURED = ['hold', 'capture'];
const HELD = ['hold'];
const RELEASED = ['hold', 'release'];

export const SCENARIO_TABLE: readonly Scenario[] = [
  { name: 'paid exactly', steps: [{ pay: 'exact' }], outcome: completed([PAID]), ledger: CAPTURED },
  { name: 'paid short', steps: [{ pay: 'short' }], outcome: waiting([unpaid('short')]), ledger: HELD },
  { name: 'paid too much', steps: [{ pay: 'over' }], outcome: waiting([unpaid('over')]), ledger: HELD },
  {
    name: 'paid in another token',
    steps: [{ pay: 'wrong_token' }],
    outcome: waiting([unpaid('wrong_token')]),
    ledger: HELD,
  },
  {
    name: 'paid short, and then exactly',
    steps: [{ pay: 'short' }, { pay: 'exact' }],
    outcome: completed([unpaid('short'), PAID]),
    ledger: CAPTURED,
  },
  {
    name: 'paid twice',
    steps: [{ pay: 'exact' }, { until: { status: 'completed' } }, { pay: 'exact' }],
    outcome: completed([PAID, unpaid('already_paid')]),
    ledger: CAPTURED,
  },
  { name: 'never paid', steps: [{ pass: 'end' }], outcome: expired([]), ledger: RELEASED },
  {
    name: 'paid late',
    steps: [{ pass: 'end' }, { pay: 'exact' }],
    outcome: expired([unpaid('late')]),
    ledger: RELEASED,
  },
  {
    name: 'paid, and confirmed slowly',
    steps: [{ pay: 'exact', slow: true }, { until: { status: 'processing' } }, { confirm: true }],
    outcome: completed([PAID]),
    ledger: CAPTURED,
  },
  {
    name: 'paid before the end, and confirmed after it',
    steps: [
      { pay: 'exact', slow: true },
      { until: { status: 'processing' } },
      { pass: 'end' },
      { until: { status: 'processing' } },
      { confirm: true },
    ],
    outcome: completed([PAID]),
    ledger: CAPTURED,
  },
  {
    name: 'paid, and reorganised away before it was confirmed',
    steps: [{ pay: 'exact', slow: true }, { until: { status: 'processing' } }, { reorg: 'gone' }],
    outcome: waiting([GONE]),
    ledger: HELD,
  },
  {
    name: 'paid, and moved to another block before it was confirmed',
    steps: [{ pay: 'exact', slow: true }, { until: { status: 'processing' } }, { reorg: 'returns' }, { confirm: true }],
    outcome: completed([PAID]),
    ledger: CAPTURED,
  },
  {
    name: 'reorganised away, and expired',
    steps: [
      { pay: 'exact', slow: true },
      { until: { status: 'processing' } },
      { reorg: 'gone' },
      { until: { status: 'waiting' } },
      { pass: 'end' },
    ],
    outcome: expired([GONE]),
    ledger: RELEASED,
  },
  {
    name: 'paid while nobody could read, and read after the end',
    steps: [
      { outage: 'begins' },
      { pay: 'exact' },
      { pass: 'end' },
      { until: { status: 'waiting' } },
      { outage: 'ends' },
    ],
    outcome: completed([PAID]),
    ledger: CAPTURED,
  },
  // The last: on a chain nothing settles afterwards until a person has looked.
  {
    name: 'completed, and its payment reorganised away',
    steps: [{ pay: 'exact' }, { until: { status: 'completed' } }, { reorg: 'gone' }],
    outcome: completed([{ in_chain: false, pays: true }]),
    ledger: CAPTURED,
  },
];

/** Whether an outcome is as described. */
export function isLike(outcome: Outcome, wanted: Partial<Outcome>): boolean {
  return Object.entries(wanted).every(
    ([name, value]) => JSON.stringify(outcome[name as keyof Outcome]) === JSON.stringify(value),
  );
}
