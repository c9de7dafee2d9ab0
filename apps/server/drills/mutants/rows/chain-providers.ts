import type { Mutant } from '../mutant.ts';

/** Bugs in what is believed of providers that err together, stand still or list something twice, and of clocks. */
export const CHAIN_PROVIDERS_MUTANTS: readonly Mutant[] = [
  {
    name: 'log-copies-kept',
    edits: [
      {
        file: 'src/sources/json-rpc/evm-decode.ts',
        find: 'if (one.blockHash === log.blockHash) return false;',
        replace: 'if (one.blockHash === log.blockHash) return true;',
      },
    ],
    suite: 'src/sources/json-rpc/evm-decode.test.ts',
    title: 'the second copy of a log is dropped and counted',
  },
  {
    name: 'receipt-proves-copies',
    edits: [
      {
        file: 'src/chains/judge-transfer.ts',
        find: 'return alike.length > (transfer.alikeBefore ?? 0);',
        replace: 'return alike.length > 0;',
      },
    ],
    suite: 'src/chains/judge-transfer.test.ts',
    title: 'a transfer whose receipt lists one of two that were read, for the second',
  },
  {
    name: 'stored-copies-uncounted',
    edits: [
      {
        file: 'src/chains/proof-sql.ts',
        find: "and (e.id < t.id or e.index like '%:0'))::integer",
        replace: 'and e.id < 0)::integer',
      },
    ],
    suite: 'test/money/duplicate-logs.test.ts',
    title: 'a copy that the only provider lists under another number pays no second invoice, and is undone',
  },
  {
    name: 'confirmed-copy-stays',
    edits: [
      {
        file: 'src/invoices/doubted-transfer.ts',
        find: 'if (facts.proven && !facts.hasTwin)',
        replace: 'if (facts.proven)',
      },
    ],
    suite: 'src/invoices/doubted-transfer.test.ts',
    title: 'discarding a doubted transfer: a confirmed one with a twin, of which one may be a copy',
  },
  {
    name: 'behind-is-offered',
    edits: [
      {
        file: 'src/chains/reading.ts',
        find: 'return isRead(fact, clock) && isCurrent(fact, clock);',
        replace: 'return isRead(fact, clock) || isCurrent(fact, clock);',
      },
    ],
    suite: 'src/chains/reading.test.ts',
    title:
      'a network is offered when its head is at most a minute behind: its head is ten minutes behind, after a halt',
  },
  {
    name: 'reference-has-window',
    edits: [
      {
        file: 'src/invoices/match-sql.ts',
        find: 'and q.to_address = t.address and t.block_time < q.held_to\n      order by t.id, q.id',
        replace:
          "and q.to_address = t.address and t.block_time < q.held_to and t.block_time >= q.held_from - interval '2 minutes'\n      order by t.id, q.id",
      },
    ],
    suite: 'test/money/slow-clock.test.ts',
    title: 'a payment with a reference completes although its block time is almost ten minutes before the quote',
  },
  {
    name: 'standing-head-believed',
    edits: [
      {
        file: 'src/sources/head-watch.ts',
        find: 'other - height >= LEAST_AHEAD_BLOCKS',
        replace: 'other - height < LEAST_AHEAD_BLOCKS',
      },
    ],
    suite: 'src/sources/head-watch.test.ts',
    title: 'of the other of two providers is silence',
  },
  {
    name: 'standing-never-ends',
    edits: [
      {
        file: 'src/sources/head-watch.ts',
        find: 'if (height >= highest() - caughtUpBlocks) standing.delete(provider);',
        replace: 'if (height > highest() + caughtUpBlocks) standing.delete(provider);',
      },
    ],
    suite: 'src/sources/head-watch.test.ts',
    title: 'a provider is asked again when its head has caught up, and not while it is catching up',
  },
  {
    name: 'catching-up-believed',
    edits: [
      {
        file: 'src/sources/head-watch.ts',
        find: 'if (height >= highest() - caughtUpBlocks) standing.delete(provider);',
        replace: 'if (height >= highest() - caughtUpBlocks * 1_000) standing.delete(provider);',
      },
    ],
    suite: 'src/sources/head-watch.test.ts',
    title: 'a provider is asked again when its head has caught up, and not while it is catching up',
  },
  {
    name: 'accounts-heads-unwatched',
    edits: [
      {
        file: 'src/accounts/follow-accounts.ts',
        find: '  await watchHeads(follower, { latest: heads.confirmed.height, finalized: heads.finalized.height });\n',
        replace: '  if (heads.past.length < 0) await watchHeads(follower, { latest: 0, finalized: 0 });\n',
      },
    ],
    suite: 'test/money/standing-heads.test.ts',
    title: 'an only provider whose blocks do not become final raises an alarm',
  },
  {
    name: 'second-read-by-logs',
    edits: [
      {
        file: 'src/chains/cover-tier.ts',
        find: 'read: await source.readBlocks({ ...question, headers: ',
        replace: 'read: await source.read({ ...question, headers: ',
      },
    ],
    suite: 'test/money/common-hole.test.ts',
    title: 'a payment whose log two providers both lack among others of its block completes its invoice',
  },
  {
    name: 'host-counts-twice',
    edits: [
      {
        file: 'src/sources/ask-providers.ts',
        find: 'return LOOPBACK.test(hostname) ? host : hostname;',
        replace: 'return LOOPBACK.test(hostname) ? host : url;',
      },
    ],
    suite: 'src/sources/ask-providers.test.ts',
    title: 'of one host with two ports are one',
  },
  {
    name: 'unsupported-unreported',
    edits: [
      {
        file: 'src/chains/follow-chain.ts',
        find: "  unsupported: 'method-unsupported',\n",
        replace: '',
      },
    ],
    suite: 'test/money/missing-methods.test.ts',
    title: 'an only provider that stops answering it raises an alarm after a minute',
  },
  {
    name: 'age-by-block-times-alone',
    edits: [
      {
        file: 'src/chains/settled-heights.ts',
        find: 'return aged && Math.min(aged, seen);',
        replace: 'return aged && Math.max(aged, seen - seen);',
      },
    ],
    suite: 'test/money/clocks-that-jump.test.ts',
    title: 'a small payment settles a minute after it was seen, and not after a minute of block times',
  },
  {
    name: 'jumped-ages-trusted',
    edits: [
      {
        file: 'src/chains/find-aged-end.ts',
        find: 'return trustsAges(memory, steady) ? aged : undefined;',
        replace: 'return trustsAges(memory, steady) || aged ? aged : undefined;',
      },
    ],
    suite: 'test/money/clocks-that-jump.test.ts',
    title: 'makes no first read old: nothing is covered before its time has passed',
  },
];
