/** An operator: a person at the command line. */
export type Operator = { kind: 'operator'; name: string };

/**
 * The actor of a verb: an operator, a store by its API key, a worker by itself, or anybody who has the address of an
 * invoice's page.
 */
export type Actor =
  | Operator
  | { kind: 'key'; storeId: bigint }
  | { kind: 'worker'; name: string }
  | { kind: 'stranger' };

/** An actor as the audit names it. */
export function nameOfActor(actor: Actor): string {
  switch (actor.kind) {
    case 'operator':
      return `cli:${actor.name}`;
    case 'worker':
      return `worker:${actor.name}`;
    case 'key':
      return `store:${actor.storeId}`;
    case 'stranger':
      return 'stranger';
  }
}
