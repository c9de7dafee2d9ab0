import { Refusal } from '../lib/refusal.ts';

/** Who can create an account without an operator. */

export const REGISTRATION_POLICIES = ['closed', 'invited', 'open'] as const;
export type RegistrationPolicy = (typeof REGISTRATION_POLICIES)[number];

/** On their own, or invited by a member of a merchant. */
type RegistrationPath = 'sign-up' | 'invitation';

export function mayRegister(policy: RegistrationPolicy, path: RegistrationPath): boolean {
  switch (policy) {
    case 'closed':
      return false;
    case 'invited':
      return path === 'invitation';
    case 'open':
      return true;
  }
}

/** Refuses account creation that the policy does not allow. Every way to create an account calls this first. */
export function requireRegistration(policy: RegistrationPolicy, path: RegistrationPath): void {
  if (!mayRegister(policy, path)) throw new Refusal('REGISTRATION_CLOSED');
}
