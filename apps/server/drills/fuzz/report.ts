import { percentile } from '../../rig/report/percentile.ts';
import type { FuzzRequest } from './requests.ts';
import type { Outcome } from '../../rig/requests/transport.ts';

/** Counts answers of the API, for the drill's table and figures. */

export type Tally = {
  requests: number;
  creates: number;
  reached: number;
  serverErrors: number;
  shapeViolations: number;
  hangs: number;
  byAnswer: Map<string, number>;
  milliseconds: Map<FuzzRequest['kind'], number[]>;
};

const SERVER_FAULT = 500;
const NOT_REACHED = new Set([401, 403, 429]);

export function createTally(): Tally {
  return {
    requests: 0,
    creates: 0,
    reached: 0,
    serverErrors: 0,
    shapeViolations: 0,
    hangs: 0,
    byAnswer: new Map(),
    milliseconds: new Map(),
  };
}

function nameOf(outcome: Outcome): string {
  if ('hang' in outcome) return 'hang';
  if ('closed' in outcome) return 'closed';
  const code = /"error_code":"([A-Z_]+)"/.exec(outcome.answer.body)?.[1];
  const replay = outcome.answer.body.endsWith('"idempotent":true}') ? 'replay' : 'success';
  return `${outcome.answer.status} ${code ?? replay}`;
}

/** Counts the outcome of a request, and returns faults that are visible without the answer's content. */
export function addAnswer(tally: Tally, request: FuzzRequest, outcome: Outcome, ms: number): string[] {
  const name = `${request.kind.padEnd(6)} ${nameOf(outcome)}`;
  tally.requests += 1;
  tally.byAnswer.set(name, (tally.byAnswer.get(name) ?? 0) + 1);
  tally.milliseconds.set(request.kind, [...(tally.milliseconds.get(request.kind) ?? []), ms]);
  if ('hang' in outcome) {
    tally.hangs += 1;
    return ['hang'];
  }
  const status = 'answer' in outcome ? outcome.answer.status : 0;
  if (request.kind === 'create') {
    tally.creates += 1;
    if (status > 0 && !NOT_REACHED.has(status)) tally.reached += 1;
  }
  if (status >= SERVER_FAULT) tally.serverErrors += 1;
  return 'closed' in outcome && request.kind !== 'raw' ? [`no answer: ${outcome.closed}`] : [];
}

export function printTally(tally: Tally) {
  console.log('\nanswers');
  for (const [name, count] of [...tally.byAnswer].sort(([one], [other]) => one.localeCompare(other)))
    console.log(`  ${name.padEnd(44)} ${String(count).padStart(6)}`);
  console.log('\ntimes     p50        p90        p99        longest');
  for (const [kind, times] of tally.milliseconds) {
    const columns = [0.5, 0.9, 0.99, 1].map((share) => `${percentile(times, share, 0).toFixed(1)} ms`.padEnd(10));
    console.log(`  ${kind.padEnd(7)} ${columns.join(' ')}`);
  }
  return {
    requests: tally.requests,
    reached_validation: Number((tally.reached / Math.max(1, tally.creates)).toFixed(4)),
    server_errors: tally.serverErrors,
    shape_violations: tally.shapeViolations,
    hangs: tally.hangs,
  };
}
