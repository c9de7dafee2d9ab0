import type { MailContext } from '../mail/queue-mail.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { RegistrationPolicy } from './registration.ts';

export type PeopleContext = MailContext & { ring: KeyRing };

/** The context of verbs that create accounts without an operator. */
export type RegistrationContext = MailContext & { registration: RegistrationPolicy };
