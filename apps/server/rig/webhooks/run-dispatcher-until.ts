import { setTimeout as wait } from 'node:timers/promises';
import { pino } from 'pino';
import type { Database } from '../../src/db/database.ts';
import type { Clock } from '../../src/lib/clock.ts';
import type { Outbound } from '../../src/lib/outbound-http.ts';
import type { KeyRing } from '../../src/secrets/key-ring.ts';
import { createSecretsOf } from '../../src/stores/webhook-secret-cache.ts';
import { createEndpointSecretsOf } from '../../src/webhooks/endpoint-secret-cache.ts';
import { dispatchDeliveries } from '../../src/webhooks/dispatch-deliveries.ts';

export type Dispatching = {
  database: Database;
  clock: Clock;
  outbound: Outbound;
  ring: KeyRing;
  /** Called when a claim begins, which is after the last one has ended; nothing is claimed when it returns false. */
  mayClaim?: () => boolean;
  /** Called instead of a pause before a secret is read again. */
  rest?: () => Promise<void>;
};

const POLL_MS = 5;

/** Runs a dispatcher in this process until `done`, then stops it gracefully. */
export async function runDispatcherUntil(
  { database, clock, outbound, ring, mayClaim = () => true, rest }: Dispatching,
  done: () => Promise<boolean> | boolean,
): Promise<void> {
  const stop = new AbortController();
  const running = dispatchDeliveries({
    pool: database.pool,
    log: pino({ level: 'silent' }),
    signal: stop.signal,
    clock,
    outbound,
    secretsOf: createSecretsOf(database, clock, ring),
    endpointSecretsOf: createEndpointSecretsOf(database, clock, ring),
    canSign: mayClaim,
    failpoint: () => {},
    random: () => 0.5,
    ...(rest && { rest }),
  });
  while (!(await done())) await wait(POLL_MS);
  stop.abort();
  await running;
}
