import { systemClock } from '../../src/lib/clock.ts';

/** Every request of the drill's clients, and what came of it. */

export type CallKind = 'create' | 'select' | 'sign-in' | 'email' | 'export';

type Call = {
  kind: CallKind;
  /** Name of the process that was asked. */
  target: string;
  sentAtMs: number;
  /** Infinite while the request is in progress. */
  endedAtMs: number;
  ok: boolean;
};

export type Traffic = {
  calls: readonly Call[];
  /** Sends a request and records it; a rejected promise is a failed request. */
  call<Answer>(kind: CallKind, target: string, ask: () => Promise<Answer>): Promise<Answer>;
  /** Requests in progress, to this process or to any. */
  inFlight(target?: string): number;
};

export function recordTraffic(): Traffic {
  const calls: Call[] = [];
  const open = new Set<Call>();
  return {
    calls,
    call: async (kind, target, ask) => {
      const sentAtMs = systemClock.nowMs();
      const call: Call = { kind, target, sentAtMs, endedAtMs: Number.POSITIVE_INFINITY, ok: false };
      calls.push(call);
      open.add(call);
      try {
        const answer = await ask();
        call.ok = true;
        return answer;
      } finally {
        call.endedAtMs = systemClock.nowMs();
        open.delete(call);
      }
    },
    inFlight: (target) => [...open].filter((call) => target === undefined || call.target === target).length,
  };
}

/** Requests that were in progress at any time of a span. */
export const callsDuring = ({ calls }: Pick<Traffic, 'calls'>, fromMs: number, untilMs: number) =>
  calls.filter(({ sentAtMs, endedAtMs }) => sentAtMs <= untilMs && endedAtMs >= fromMs);

/** When the first request that was sent after a moment succeeded; undefined if none has. */
export function firstSuccess(
  { calls }: Pick<Traffic, 'calls'>,
  kind: CallKind,
  target: string,
  sinceMs: number,
): number | undefined {
  const times = calls
    .filter((call) => call.kind === kind && call.target === target && call.sentAtMs >= sinceMs && call.ok)
    .map(({ endedAtMs }) => endedAtMs);
  return times.length === 0 ? undefined : Math.min(...times);
}
