import { Refusal } from '../lib/refusal.ts';

/** Who may become a person here, besides those whom an operator makes at the command line. Pure. */

export const REGISTRATION_POLICIES = ['closed', 'invited', 'open'] as const;
export type RegistrationPolicy = (typeof REGISTRATION_POLICIES)[number];

/** How somebody becomes a person without an operator: on their own, or because a member of a merchant invited them. */
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

/** Refuses a way to become a person that the policy does not allow. Every such way asks this first. */
export function requireRegistration(policy: RegistrationPolicy, path: RegistrationPath): void {
  if (!mayRegister(policy, path)) throw new Refusal('REGISTRATION_CLOSED');
}
