/** An operator at the command line. */
export type Operator = { kind: 'operator'; name: string };

/** IP address and user agent of a request. */
export type Origin = {
  address: string;
  agent: string;
  /** The token hash of a known browser. */
  deviceHash?: Buffer | undefined;
};

export const MAX_ORIGIN_ADDRESS = 64;
export const MAX_ORIGIN_AGENT = 200;

export type Person = Origin & {
  kind: 'person';
  id: bigint;
  code: string;
  sessionHash: Buffer;
  /** Whether two-factor was completed in this session. */
  hasFactor: boolean;
  /** The person's role as staff of the service; null for users of merchants. */
  operatorRole: 'operator' | 'support' | null;
  /** Whether dangerous actions are allowed now, after a step-up. */
  elevated: boolean;
};

/** A visitor who is not signed in. */
export type Visitor = Origin & { kind: 'visitor' };

/**
 * The actor of a verb: an operator, a signed-in person, a visitor about to sign in, a store by its API key, a worker,
 * or anyone with an invoice's link.
 */
export type Actor =
  | Operator
  | Person
  | Visitor
  | { kind: 'key'; storeId: bigint }
  | { kind: 'worker'; name: string }
  | { kind: 'stranger' };

/** The actor's name in the audit. */
export function nameOfActor(actor: Actor): string {
  switch (actor.kind) {
    case 'operator':
      return `cli:${actor.name}`;
    case 'worker':
      return `worker:${actor.name}`;
    case 'key':
      return `store:${actor.storeId}`;
    case 'person':
      return `person:${actor.code}`;
    case 'visitor':
    case 'stranger':
      return 'stranger';
  }
}

/** Whether a name in the audit is an operator's. */
export const isOperatorName = (name: string): boolean => name.startsWith('cli:');
