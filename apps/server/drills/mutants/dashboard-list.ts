import type { Mutant } from './mutant.ts';

/** Bugs in what the dashboard's members see and do, and in what the doctor tells operators. */

export const DASHBOARD_MUTANTS: readonly Mutant[] = [
  {
    name: 'redelivery-changes-health',
    suite: 'test/webhooks/by-hand.test.ts',
    test: 'leaves a healthy endpoint healthy',
  },
  {
    name: 'waiting-redeliveries-free',
    suite: 'test/dashboard/deliveries.test.ts',
    test: 'is counted as sent again before it is sent',
  },
  {
    name: 'attached-twice',
    suite: 'test/dashboard/unmatched.test.ts',
    test: 'is the same request when it is repeated',
  },
  {
    name: 'requests-counted-unlocked',
    suite: 'test/dashboard/unmatched.test.ts',
    test: 'is one of a thousand in a day',
  },
  { name: 'home-mixes-modes', suite: 'test/dashboard/home-modes.test.ts', test: 'never of both' },
  {
    name: 'test-payments-burst',
    suite: 'test/dashboard/test-payments.test.ts',
    test: 'is one of twenty requests of its store in a second',
  },
  {
    name: 'never-read-is-fine',
    suite: 'test/doctor/doctor.test.ts',
    test: 'a network of a live store that nobody has ever read',
  },
  { name: 'dismissal-not-audited', suite: 'test/dashboard/unmatched.test.ts', test: 'each act is audited' },
];
