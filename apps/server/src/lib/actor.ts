/** An operator: a person at the command line. */
export type Operator = { kind: 'operator'; name: string };

/** Where a request comes from: the caller's network address, and what the browser calls itself. */
export type Origin = {
  address: string;
  agent: string;
  /** The hash of the token by which the browser is known from an earlier sign-in. */
  deviceHash?: Buffer | undefined;
};

/** How many characters of an origin the database takes. */
export const MAX_ORIGIN_ADDRESS = 64;
export const MAX_ORIGIN_AGENT = 200;

/** A person who is signed in. */
export type Person = Origin & {
  kind: 'person';
  id: bigint;
  /** The person's public code. */
  code: string;
  /** The hash of the session by which the person is signed in. */
  sessionHash: Buffer;
  /** Whether the person has proven a second factor in this session, and not only the password. */
  hasFactor: boolean;
  /** What the person may do as one of those who run the service; null for people of merchants. */
  operatorRole: 'operator' | 'support' | null;
  /** Whether the session may do dangerous things now. */
  elevated: boolean;
};

/** Somebody whom nobody knows yet, and from where they come. */
export type Visitor = Origin & { kind: 'visitor' };

/**
 * The actor of a verb: an operator, a person who is signed in, a visitor who is about to sign in, a store by its API
 * key, a worker by itself, or anybody who has the address of an invoice's page.
 */
export type Actor =
  | Operator
  | Person
  | Visitor
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
    case 'person':
      return `person:${actor.code}`;
    case 'visitor':
    case 'stranger':
      return 'stranger';
  }
}

/** Whether a name, as the audit has it, is that of an operator. */
export const isOperatorName = (name: string): boolean => name.startsWith('cli:');
