import type { Gatherers } from './mail/gatherer.ts';

/** Takes the place of a gatherer whose mails nothing queues yet: none of them is wanted. */
const notWanted = async () => undefined;

/** The gatherers of a worker, from the folders that know the facts of each mail. */
export const GATHERERS: Gatherers = {
  'verify-address': notWanted,
  invitation: notWanted,
  'reset-password': notWanted,
  'password-changed': notWanted,
  'address-changed': notWanted,
  'factor-added': notWanted,
  'factor-removed': notWanted,
  'factors-reset-requested': notWanted,
  'recovery-code-used': notWanted,
  'role-changed': notWanted,
  'method-change-requested': notWanted,
  'method-changed': notWanted,
  'methods-locked': notWanted,
  'methods-unlocked': notWanted,
  'operator-view': notWanted,
  'mail-test': async () => ({}),
};
