import type { MailContext } from '../mail/queue-mail.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { RegistrationPolicy } from './registration.ts';

/** The context of verbs about people; the key ring opens the secrets of authenticator apps. */
export type PeopleContext = MailContext & { ring: KeyRing };

/** The context of verbs that make people who were not made by an operator. */
export type RegistrationContext = MailContext & { registration: RegistrationPolicy };
