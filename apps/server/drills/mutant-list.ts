/** The bugs that are planted, each a patch of its name in the folder `mutants`, and the test that must catch it. */

export type Mutant = {
  name: string;
  /** The file whose tests must catch it. */
  suite: string;
  /** What the titles of those tests contain. */
  test: string;
};

export const MUTANTS: readonly Mutant[] = [
  { name: 'coverage-equal', suite: 'test/engine/mutant-expiry.test.ts', test: 'the very second of the end' },
  { name: 'header-not-linked', suite: 'test/engine/mutant-reading.test.ts', test: 'do not follow from the cursor' },
  {
    name: 'identity-by-tx',
    suite: 'src/transfers/sources/evm/evm-decode.test.ts',
    test: 'numbered per token and transaction',
  },
  {
    name: 'event-outside-transaction',
    suite: 'test/engine/mutant-commit.test.ts',
    test: 'with its event and its release afterwards',
  },
  { name: 'slot-released-early', suite: 'test/engine/mutant-expiry.test.ts', test: 'rests for a day' },
  { name: 'stale-watch-set', suite: 'test/engine/mutant-reading.test.ts', test: 'newer than the set' },
  { name: 'facts-before-coverage', suite: 'test/engine/mutant-expiry.test.ts', test: 'before it locks' },
  { name: 'double-capture', suite: 'test/engine/mutant-commit.test.ts', test: 'costs its fee once' },
  { name: 'attach-without-lock', suite: 'test/engine/mutant-races.test.ts', test: 'attached while coverage passes it' },
  { name: 'rescan-without-lock', suite: 'test/engine/mutant-races.test.ts', test: 'a rescan waits for a rewind' },
  { name: 'other-is-not-gone', suite: 'test/engine/mutant-races.test.ts', test: 'turns out to be another transfer' },
  { name: 'revert-at-ancestor', suite: 'test/engine/mutant-races.test.ts', test: 'both forks have in common' },
  { name: 'reincluded-keeps-time', suite: 'test/engine/mutant-races.test.ts', test: 'judged by that block' },
  { name: 'pending-forgets', suite: 'test/engine/frozen.test.ts', test: 'freezes again while' },
  { name: 'overdraft-stays', suite: 'src/ledger/hold-store.test.ts', test: 'pays an overdraft off' },
  { name: 'coverage-not-lowered', suite: 'test/engine/grace.test.ts', test: 'a reorg takes away' },
  { name: 'second-read-same-provider', suite: 'test/engine/reorged.test.ts', test: 'one provider on a fork' },
  { name: 'quote-released-early', suite: 'test/sources/tron-traps.test.ts', test: 'still rested' },
  { name: 'native-since-now', suite: 'test/sources/tron-traps.test.ts', test: 'still rested' },
  { name: 'ends-not-linked', suite: 'test/engine/mutant-reading.test.ts', test: 'do not follow from the cursor' },
  { name: 'conf-off-by-one', suite: 'src/transfers/follower.test.ts', test: 'has one confirmation' },
  { name: 'tier-inclusive', suite: 'src/networks/finality.test.ts', test: 'is settled at' },
  { name: 'completed-amount-free', suite: 'test/engine/mutant-expiry.test.ts', test: 'rests for a day' },
  { name: 'demand-starts-late', suite: 'test/engine/account-start.test.ts', test: 'selected twice' },
  { name: 'receipt-of-other-block', suite: 'test/sources/evm-receipts.test.ts', test: 'of another block' },
  { name: 'version-ignored', suite: 'test/engine/account-reads.test.ts', test: 'two workers' },
  { name: 'cursor-version-ignored', suite: 'test/engine/account-reads.test.ts', test: 'not committed by it' },
  { name: 'quiet-version-ignored', suite: 'test/engine/account-reads.test.ts', test: 'committed since' },
  { name: 'idle-despite-demand', suite: 'test/engine/account-reads.test.ts', test: 'at that very moment' },
  { name: 'coverage-without-cas', suite: 'test/engine/mutant-races.test.ts', test: 'is not taken back by another' },
  { name: 'final-by-one-provider', suite: 'test/engine/account-reads.test.ts', test: 'word of one alone' },
  { name: 'missing-receipt-fails-coins', suite: 'test/sources/evm-receipts.test.ts', test: 'receipt is missing' },
  { name: 'proof-by-finder', suite: 'test/engine/evidence.test.ts', test: 'it is the other one whose receipt counts' },
  {
    name: 'proof-ignores-depth',
    suite: 'test/engine/evidence.test.ts',
    test: 'it is the other one whose receipt counts',
  },
  { name: 'proof-against-header', suite: 'test/engine/mutant-evidence.test.ts', test: 'header that we hold' },
  { name: 'proof-in-other-block', suite: 'src/transfers/judge-transfer.test.ts', test: 'is of another block' },
  {
    name: 'missing-receipt-denies',
    suite: 'test/engine/evidence.test.ts',
    test: 'is decided by nothing while its receipt is missing',
  },
  {
    name: 'absence-without-age',
    suite: 'test/engine/evidence.test.ts',
    test: 'only when its first read is old enough',
  },
  { name: 'same-question-twice', suite: 'test/engine/evidence.test.ts', test: 'is found block by block' },
  {
    name: 'several-readers-are-one',
    suite: 'test/engine/mutant-evidence.test.ts',
    test: 'several providers read first',
  },
  {
    name: 'denied-by-one',
    suite: 'test/engine/mutant-evidence.test.ts',
    test: 'one provider denies and another proves',
  },
  { name: 'denied-at-once', suite: 'test/engine/evidence.test.ts', test: 'denies it for a minute' },
  {
    name: 'shallower-when-larger',
    suite: 'test/engine/evidence.test.ts',
    test: 'a larger sum never settles shallower',
  },
  { name: 'version-zero', suite: 'test/engine/account-unreadable.test.ts', test: 'of the version that is live' },
  {
    name: 'unreadable-hides-others',
    suite: 'test/engine/account-unreadable.test.ts',
    test: 'keeps no payment from being settled',
  },
  { name: 'covered-past-unreadable', suite: 'test/engine/account-unreadable.test.ts', test: 'waits below it' },
  {
    name: 'slots-by-constant',
    suite: 'src/transfers/sources/solana/solana-time.test.ts',
    test: 'is found whatever a slot lasts',
  },
  { name: 'found-while-frozen', suite: 'test/engine/frozen.test.ts', test: 'that a recheck finds while frozen' },
  { name: 'settles-while-frozen', suite: 'test/engine/frozen.test.ts', test: 'holds those back' },
  { name: 'rescan-decides-changed', suite: 'test/engine/rescan.test.ts', test: 'is decided again' },
];
