/** Places where a clock may decide, with the reason of each. A sixth needs one of these five to go. */

export type Exception = { path: string; rule: string; reason: string };

export const EXCEPTIONS: readonly Exception[] = [
  {
    path: 'apps/server/rig/processes/wait-until.ts',
    rule: 'loop until a deadline',
    reason: 'the one loop that ends a hang: everything that waits outside of expect.poll uses it',
  },
  {
    path: 'apps/server/rig/report/drill-arguments.ts',
    rule: 'choice by chance',
    reason: '`--seed random` draws a seed and the drill prints it; the gate passes no such argument',
  },
];
