import type { Mutant } from './mutant.ts';

/** Bugs in what the dashboard's members do with webhooks and unmatched money. */

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
  { name: 'dismissal-not-audited', suite: 'test/dashboard/unmatched.test.ts', test: 'each act is audited' },
];
