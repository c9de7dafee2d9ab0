import { z } from 'zod';
import type { ExchangeNetwork } from '../../networks/exchange-networks.ts';
import type { Token } from '../../networks/network.ts';
import { askEnvelope } from '../exchange/ask-envelope.ts';
import type { ExchangeOptions } from '../exchange/ask-platform.ts';
import { parseAnswer } from '../exchange/ask-platform.ts';
import { joinRows } from '../exchange/join-rows.ts';
import { createPlatformClock } from '../exchange/platform-clock.ts';
import type { Quota } from '../exchange/request-gate.ts';
import type { ExchangeKey, StatementRow, StatementSource } from '../statement-source.ts';
import { kucoinDialect } from './kucoin-dialect.ts';
import { createKnownPairs, KEPT_MS } from './known-pairs.ts';
import { decodeKucoinKey } from './kucoin-key.ts';
import { createAsk, createReadList, DEPOSITS, KEY_CHARGE, OF_ADDRESS } from './kucoin-lists.ts';
import type { KucoinDeposit } from './kucoin-statement.ts';
import { kucoinRow, unclearRows, uncreditedRow } from './kucoin-statement.ts';
import { readPairs } from './read-pairs.ts';

/**
 * The adapter of KuCoin. Deposits have no ids, so two payments could not be distinguished from one that is shown twice;
 * the id of the ledger entry identifies them.
 */

const PUBLIC: Quota = { name: 'KuCoin public', limit: 2_000, windowMs: 30_000 };

const timeSchema = z.object({ data: z.int().positive() });

const isPending = ({ state }: StatementRow) => state === 'pending';

/** Rows of uncredited deposits. Of two with the same facts the one that may still be credited counts: it comes last. */
function uncreditedRows(token: Token, deposits: readonly KucoinDeposit[]): StatementRow[] {
  const rows = deposits.map((deposit) => uncreditedRow(token, deposit)).filter((row) => row !== undefined);
  return [...rows.filter((row) => !isPending(row)), ...rows.filter(isPending)];
}

export function createKucoinSource(network: ExchangeNetwork, options: ExchangeOptions): StatementSource {
  const clock = createPlatformClock(options.clock, readTime);
  const ask = createAsk(options, clock);
  const readList = createReadList(ask);
  const known = createKnownPairs();

  async function readTime(baseUrl: string): Promise<number> {
    const charges = [OF_ADDRESS, { quota: PUBLIC, weight: 3, by: 'address' }] as const;
    const request = { baseUrl, charges, sign: () => ({ path: '/api/v1/timestamp' }) };
    return parseAnswer(timeSchema, await askEnvelope(options, kucoinDialect, request), 'time').data;
  }

  async function readToken(key: ExchangeKey, token: Token, fromMs: number, toMs: number): Promise<StatementRow[]> {
    const inside = await readList(key, DEPOSITS, token, [fromMs, toMs]);
    const account = `${key.baseUrl} ${key.credentials.apiKey} ${token.symbol}`;
    const uncredited = uncreditedRows(token, inside);
    const isPoll = toMs - fromMs <= KEPT_MS;
    const recalled = isPoll ? known.recall(account, inside) : undefined;
    if (recalled) return [...uncredited, ...recalled.map(({ deposit, entry }) => kucoinRow(token, entry, deposit))];
    const readNow = () => clock.withClock(key.baseUrl, async (platform) => platform.nowMs());
    const { pairs, unclear } = await readPairs({ key, token, readList, readNow }, { fromMs, toMs }, inside);
    const isInside = ({ deposit }: { deposit: KucoinDeposit }) =>
      deposit.createdMs >= fromMs && deposit.createdMs <= toMs;
    const own = pairs.filter(isInside);
    if (isPoll) known.keep(account, own);
    return [
      ...unclear.filter(isInside).flatMap((one) => unclearRows(token, one.deposit, one.entries)),
      ...uncredited,
      ...own.map(({ deposit, entry }) => kucoinRow(token, entry, deposit)),
    ];
  }

  return {
    network,
    readTime,
    readKey: async (key) => decodeKucoinKey(await ask(key, '/api/v1/user/api-key', KEY_CHARGE)),
    readStatement: async (key, fromMs, toMs) => {
      const rows: StatementRow[] = [];
      for (const token of network.tokens) rows.push(...(await readToken(key, token, fromMs, toMs)));
      return joinRows(rows);
    },
  };
}
