import type { Mutant } from '../mutant.ts';
import { lines } from '../mutant.ts';

/** Bugs in reading statements of exchange accounts. */
export const STATEMENTS_MUTANTS: readonly Mutant[] = [
  {
    name: 'kucoin-row-when-credited',
    edits: [
      {
        file: 'src/platforms/kucoin/kucoin-statement.ts',
        find: 'atMs: deposit.createdMs,',
        replace: 'atMs: deposit.updatedMs,',
      },
    ],
    suite: 'test/exchanges/kucoin.test.ts',
    title:
      'a payment that is held for ninety minutes is pending at the time at which it was sent, and final there at last',
  },
  {
    name: 'slow-deposit-takes-entry',
    edits: [
      {
        file: 'src/platforms/kucoin/pair-deposits.ts',
        find: 'left.updatedMs - right.updatedMs || left.createdMs - right.createdMs;',
        replace: 'left.createdMs - right.createdMs || left.updatedMs - right.updatedMs;',
      },
    ],
    suite: 'src/platforms/kucoin/pair-deposits.test.ts',
    title: 'that was made before and credited afterwards does not take the entry of the payment',
  },
  {
    name: 'unlisted-owner-ignored',
    edits: [
      {
        file: 'src/platforms/kucoin/pair-deposits.ts',
        find: 'if (entries.length <= deposits.length) return pairs;',
        replace: 'if (entries.length <= 2 * deposits.length) return pairs;',
      },
    ],
    suite: 'src/platforms/kucoin/pair-deposits.test.ts',
    title: 'that is not listed, while its entry is, makes the payment unclear',
  },
  {
    name: 'pending-row-settles',
    edits: [
      {
        file: 'src/accounts/poll-statement.ts',
        find: lines('  FINAL,', '  findOldestHeld,'),
        replace: '  findOldestHeld,',
      },
      {
        file: 'src/accounts/poll-statement.ts',
        find: 'const finalIds = change.payments.filter(({ state }) => state === FINAL).map(({ id }) => id);',
        replace: 'const finalIds = change.payments.map(({ id }) => id);',
      },
      {
        file: 'src/accounts/statement-sql.ts',
        find: "export const FINAL: StatementRow['state'] = 'final';",
        replace: "export const UNUSED: StatementRow['state'] = 'final';",
      },
      {
        file: 'src/accounts/statement-sql.ts',
        find: 'where t.id = f.id and t.to_address = ${account} and t.canonical and t.block_hash = ${FINAL}',
        replace: 'where t.id = f.id and t.to_address = ${account} and t.canonical',
      },
    ],
    suite: 'test/exchanges/scenarios.test.ts',
    title: 'a pending payment is in progress, and completes once it is final',
  },
  {
    name: 'statement-covered-at-once',
    edits: [
      {
        file: 'src/accounts/plan-statement.ts',
        find: 'return Math.max(coveredMs, Math.min(cursorMs, reachedMs, nowMs - ROW_DELAY_MS, ...unclear));',
        replace: 'return Math.max(coveredMs, Math.min(cursorMs + nowMs, reachedMs, nowMs, ...unclear));',
      },
    ],
    suite: 'test/exchanges/scenarios.test.ts',
    title: 'a row that appears within two minutes meets an open invoice',
  },
  {
    name: 'statement-not-read-back',
    edits: [
      {
        file: 'src/accounts/plan-statement.ts',
        find: 'const fromMs = isStopped || isFarBehind ? recentMs : Math.min(coveredMs, recentMs);',
        replace: 'const fromMs = isStopped || isFarBehind ? recentMs : Math.max(coveredMs, cursorMs);',
      },
    ],
    suite: 'test/exchanges/scenarios.test.ts',
    title: 'a row that answers left out is found by the next reads',
  },
  {
    name: 'no-day-slices',
    edits: [
      {
        file: 'src/accounts/plan-statement.ts',
        find: 'if (turn > present) return undefined;',
        replace: 'if (turn > present || turn <= present) return undefined;',
      },
    ],
    suite: 'test/exchanges/scenarios.test.ts',
    title: 'a row that appears two hours late completes its invoice late',
  },
  {
    name: 'missing-row-is-forgiven',
    edits: [
      {
        file: 'src/accounts/compare-statement.ts',
        find: 'else if (nowMs - one.missingSinceMs >= GONE_AFTER_MS) change.gone.push(one.id);',
        replace: 'else if (nowMs < one.missingSinceMs) change.gone.push(one.id);',
      },
    ],
    suite: 'test/exchanges/scenarios.test.ts',
    title: 'a payment that vanishes after completion stops its account alone, until it is back',
  },
  {
    name: 'missing-is-never-over',
    edits: [
      { file: 'src/accounts/poll-statement.ts', find: '  await saveMissing(tx, change.back, null);\n', replace: '' },
    ],
    suite: 'test/exchanges/scenarios.test.ts',
    title: 'a row that was missing twice, and shown in between, does not stop its account',
  },
  {
    name: 'stopped-account-is-covered',
    edits: [
      { file: 'src/accounts/poll-statement.ts', find: 'isStopped: one.stopped,', replace: 'isStopped: false,' },
      {
        file: 'src/accounts/poll-statement.ts',
        find: 'if ((await findExchangeAccount(tx, one))?.stopped !== true)',
        replace: 'if ((await findExchangeAccount(tx, one)) !== undefined)',
      },
    ],
    suite: 'test/exchanges/scenarios.test.ts',
    title: 'nothing completes or expires at a stopped account',
  },
  {
    name: 'quota-not-shared',
    edits: [
      {
        file: 'src/platforms/exchange/address-turns.ts',
        find: 'const turnMs = (quota.windowMs * weight * processes) / (quota.limit * TURNS_PART);',
        replace: 'const turnMs = (quota.windowMs * weight * Math.min(1, processes)) / (quota.limit * TURNS_PART);',
      },
    ],
    suite: 'src/platforms/exchange/request-gate.test.ts',
    title: 'processes that share our address have a part each, and a heavy request waits by its weight',
  },
  {
    name: 'starts-above-held',
    edits: [
      {
        file: 'src/accounts/poll-statement.ts',
        find: 'held.more ? (covered?.time ?? held.addedAt)',
        replace: 'held.more && startAt < 0 ? (covered?.time ?? held.addedAt)',
      },
    ],
    suite: 'test/exchanges/commands.test.ts',
    title: 'a quote at an idle account starts it where it was covered, when more amounts are held than are looked at',
  },
  {
    name: 'start-unknown-without-coverage',
    edits: [
      {
        file: 'src/accounts/poll-statement.ts',
        find: 'held.more ? (covered?.time ?? held.addedAt)',
        replace: 'held.more ? covered?.time',
      },
    ],
    suite: 'test/exchanges/commands.test.ts',
    title:
      'an account of unknown coverage that is added again starts where it was added first, when more amounts are held than are looked at',
  },
  {
    name: 'signs-before-waiting',
    edits: [
      {
        file: 'src/platforms/exchange/ask-platform.ts',
        find: 'const { baseUrl, account } = asked;',
        replace: lines('const { baseUrl, account } = asked;', '  const { path, headers = {} } = sign();'),
      },
      {
        file: 'src/platforms/exchange/ask-platform.ts',
        find: '  const { path, headers = {} } = sign();\n',
        replace: '',
      },
    ],
    suite: 'src/platforms/exchange/ask-platform.test.ts',
    title: 'a request is signed when its turn has come, not before it waits',
  },
  {
    name: 'turns-after-a-set-clock',
    edits: [
      {
        file: 'src/platforms/exchange/address-turns.ts',
        find: 'lastMs > nowMs + burstMs + MAX_WAIT_MS ? nowMs + burstMs : Math.max',
        replace: 'Math.max',
      },
    ],
    suite: 'src/platforms/exchange/request-gate.test.ts',
    title: 'a clock that was set back closes no turns: the next one comes as usual',
  },
  {
    name: 'recalls-a-twin',
    edits: [
      {
        file: 'src/platforms/kucoin/known-pairs.ts',
        find: 'return found?.length === alike.length ? found : undefined;',
        replace: 'return found !== undefined && alike.length > 0 ? found : undefined;',
      },
    ],
    suite: 'src/platforms/kucoin/known-pairs.test.ts',
    title: 'are not recalled of a deposit that is shown once more',
  },
  {
    name: 'waits-through-a-ban',
    edits: [
      {
        file: 'src/platforms/exchange/request-gate.ts',
        find: lines('await wait(waitMs);', '      requireNoPause(entry);'),
        replace: 'await wait(waitMs);',
      },
    ],
    suite: 'src/platforms/exchange/request-gate.test.ts',
    title: 'a pause that begins while a request waits stops it',
  },
  {
    name: 'ids-of-regions-mixed',
    edits: [
      {
        file: 'src/accounts/poll-statement.ts',
        find: 'index: `${row.token}@${account}`,',
        replace: 'index: row.token,',
      },
    ],
    suite: 'test/exchanges/guards.test.ts',
    title: 'rows of two regions of a platform with the same id are two payments',
  },
];
