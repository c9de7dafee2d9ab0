import { waitUntil } from '../../rig/processes/wait-until.ts';
import { median } from '../../rig/report/percentile.ts';
import { createP99Ms } from './creates.ts';
import type { BenchOwner, BenchSite } from './site.ts';

/** Exports of the large store: how fast they are, and what another merchant's creates feel of them. */

type ExportState = { state: string; rows: number | null };

const EXPORT_TIMEOUT_MS = 1_800_000;
const POLL_MS = 100;

async function send(owner: BenchOwner, method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const answer = await owner.browser.send(method, `/accounts/${owner.account}/${path}`, body);
  if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body.data ?? {};
}

async function beginExport({ large }: BenchSite): Promise<string> {
  return String((await send(large, 'POST', 'exports', { kind: 'invoices', store: large.store.merchantId }))['export']);
}

async function stateOf({ large }: BenchSite, code: string): Promise<ExportState> {
  return (await send(large, 'GET', `exports/${code}`)) as ExportState;
}

/** Rows that an export writes in a second, from the request to the finished file. */
async function finishExport(site: BenchSite, code: string, startedAt: number): Promise<number> {
  let found: ExportState = { state: 'queued', rows: null };
  await waitUntil(
    async () => {
      found = await stateOf(site, code);
      if (found.state === 'failed') throw new Error('The export failed.');
      return found.state === 'done';
    },
    { what: 'The export did not end.', timeoutMs: EXPORT_TIMEOUT_MS, pollMs: POLL_MS },
  );
  return ((found.rows ?? 0) * 1_000) / (performance.now() - startedAt);
}

/**
 * Measures creates without an export and beside one, by turns. An export that ends before the creates is followed by
 * another: the creates are beside an export all the time.
 */
export async function measureExports(
  site: BenchSite,
  { pairs, seconds }: { pairs: number; seconds: number },
): Promise<{ rowsPerSecond: number; growth: number }> {
  await createP99Ms(site.api, site.busy, seconds);
  const growths: number[] = [];
  const rates: number[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    const aloneMs = await createP99Ms(site.api, site.busy, seconds);
    const startedAt = performance.now();
    const code = await beginExport(site);
    const besideMs = await createP99Ms(site.api, site.busy, seconds);
    const { state } = await stateOf(site, code);
    rates.push(await finishExport(site, code, startedAt));
    growths.push(besideMs / aloneMs);
    console.log(
      `creates p99 ${aloneMs.toFixed(1)} ms alone, ${besideMs.toFixed(1)} ms beside an export (${state} at their end)`,
    );
  }
  return { rowsPerSecond: median(rates), growth: median(growths) };
}
