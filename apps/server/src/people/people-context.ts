import type { Context } from '../db/context.ts';
import type { KeyRing } from '../secrets/key-ring.ts';

/** The context of verbs about people; the key ring opens the secrets of authenticator apps. */
export type PeopleContext = Context & { ring: KeyRing };
