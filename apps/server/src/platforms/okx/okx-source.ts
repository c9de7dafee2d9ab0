import { z } from 'zod';
import { sleep } from '../../lib/loop.ts';
import type { ExchangeNetwork } from '../../networks/exchange-networks.ts';
import { SourceError } from '../../sources/chain-source.ts';
import { askEnvelope } from '../exchange/ask-envelope.ts';
import type { ExchangeOptions } from '../exchange/ask-platform.ts';
import { parseAnswer } from '../exchange/ask-platform.ts';
import { joinRows } from '../exchange/join-rows.ts';
import { createPlatformClock } from '../exchange/platform-clock.ts';
import type { Quota } from '../exchange/request-gate.ts';
import type { ExchangeKey, StatementRow, StatementSource } from '../statement-source.ts';
import { okxDialect } from './okx-dialect.ts';
import { decodeOkxKey } from './okx-key.ts';
import { decodeOkxPage, okxRow, timeOf } from './okx-statement.ts';
import { PAGE, readDeposits } from './read-deposits.ts';
import { signOkx } from './sign-okx.ts';

/** The adapter of OKX: reads transfers inside OKX, as deposits of type 3. */

type OkxOptions = ExchangeOptions & {
  /** Waits for the quota between pages; a test moves its clock instead. */
  wait?: (ms: number) => Promise<void>;
};

/** Documented quotas: deposits and keys by user id, time by our IP address. */
const DEPOSITS: Quota = { name: 'OKX deposits', limit: 6, windowMs: 1_000 };
const KEYS: Quota = { name: 'OKX keys', limit: 5, windowMs: 2_000 };
const TIMES: Quota = { name: 'OKX time', limit: 10, windowMs: 2_000 };

/** Longest wait for the quota: its own window. */
const MAX_WAIT_MS = 1_000;
const NEVER = new AbortController().signal;

const timeSchema = z.object({ data: z.tuple([z.object({ ts: z.string().regex(/^\d{13}$/) })]) });

export function createOkxSource(network: ExchangeNetwork, options: OkxOptions): StatementSource {
  const { wait = (ms: number) => sleep(ms, NEVER) } = options;
  const clock = createPlatformClock(options.clock, readTime);

  async function readTime(baseUrl: string): Promise<number> {
    const charges = [{ quota: TIMES, weight: 1, by: 'address' }] as const;
    const request = { baseUrl, charges, sign: () => ({ path: '/api/v5/public/time' }) };
    const [{ ts }] = parseAnswer(timeSchema, await askEnvelope(options, okxDialect, request), 'time').data;
    return Number(ts);
  }

  function ask({ baseUrl, credentials }: ExchangeKey, path: string, quota: Quota): Promise<unknown> {
    return clock.withClock(baseUrl, (platform) =>
      askEnvelope(options, okxDialect, {
        baseUrl,
        account: credentials.apiKey,
        charges: [{ quota, weight: 1, by: 'account' }],
        sign: () => ({ path, headers: signOkx(credentials, { path, nowMs: platform.nowMs() }) }),
      }),
    );
  }

  /** Waits for the quota that earlier pages used: otherwise every read would fail at the same page. */
  async function askPatiently(key: ExchangeKey, path: string): Promise<unknown> {
    try {
      return await ask(key, path, DEPOSITS);
    } catch (cause) {
      const waitMs = cause instanceof SourceError && cause.kind === 'rate' ? cause.retryAfterMs : undefined;
      if (waitMs === undefined || waitMs > MAX_WAIT_MS) throw cause;
      await wait(waitMs);
      return ask(key, path, DEPOSITS);
    }
  }

  async function readStatement(key: ExchangeKey, fromMs: number, toMs: number): Promise<StatementRow[]> {
    const askPage = async (after: number | undefined) => {
      const cursor = after === undefined ? '' : `&after=${after}`;
      return decodeOkxPage(await askPatiently(key, `/api/v5/asset/deposit-history?type=3&limit=${PAGE}${cursor}`));
    };
    const nowMs = await clock.withClock(key.baseUrl, async (platform) => platform.nowMs());
    const deposits = await readDeposits(askPage, { fromMs, toMs, nowMs });
    // Deposits outside the range are dropped before decoding, so that an unreadable one becomes unclear only in its own
    // range.
    const inside = deposits.filter((deposit) => timeOf(deposit) >= fromMs && timeOf(deposit) <= toMs);
    const rows = inside.map((deposit) => okxRow(network, deposit)).filter((row) => row !== undefined);
    return joinRows(rows);
  }

  return {
    network,
    readTime,
    readKey: async (key) => decodeOkxKey(await ask(key, '/api/v5/account/config', KEYS)),
    readStatement,
  };
}
