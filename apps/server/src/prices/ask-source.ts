import type { BaseLogger } from 'pino';
import type { Clock } from '../lib/clock.ts';
import { endWith } from '../lib/end-with.ts';
import { MAX_REPORT_AHEAD_MS } from './price.ts';
import { PriceSourceError } from './price-source.ts';

const SOURCE_TIMEOUT_MS = 4_000;

export type AskContext = { clock: Clock; log: Pick<BaseLogger, 'warn'>; sourceTimeoutMs?: number };

export type Answer<Report> = { source: string; reports: readonly Report[]; failed: boolean };

/** Asks a source within its time limit; a failure is logged and stops no other source. */
export async function askSource<Report extends { at: Date }>(
  context: AskContext,
  { name }: { name: string },
  ask: (signal: AbortSignal) => Promise<Report[]>,
): Promise<Answer<Report>> {
  const signal = AbortSignal.timeout(context.sourceTimeoutMs ?? SOURCE_TIMEOUT_MS);
  try {
    const reports = await endWith(signal, ask(signal), () => new PriceSourceError(name, 'did not answer in time.'));
    const latestMs = context.clock.nowMs() + MAX_REPORT_AHEAD_MS;
    if (reports.some((report) => !(report.at.getTime() <= latestMs))) {
      // A report from the future would block later ones, because only newer reports replace older ones.
      throw new PriceSourceError(name, 'answered with a time in the future.');
    }
    return { source: name, reports, failed: false };
  } catch (cause) {
    context.log.warn({ source: name, err: cause }, 'price source failed');
    return { source: name, reports: [], failed: true };
  }
}
