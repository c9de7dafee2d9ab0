import type { Registry } from 'prom-client';
import { Counter } from 'prom-client';

const BASE = '/api/dashboard/session';

/** What was tried, by the route that was called. */
const KINDS: Readonly<Record<string, string>> = {
  [BASE]: 'password',
  [`${BASE}/passkey/verify`]: 'passkey',
  [`${BASE}/factor`]: 'second-factor',
  [`${BASE}/step-up`]: 'step-up',
  [`${BASE}/step-up/verify`]: 'step-up',
};
const REASONS: Readonly<Record<string, string>> = {
  SIGN_IN_REFUSED: 'wrong',
  FACTOR_WRONG: 'wrong',
  TOO_MANY_ATTEMPTS: 'over-budget',
};

/** Counts refused sign-ins by what was tried; returns what is called with each refused request. */
export function countRefusedSignIns(registry: Registry): (route: string | undefined, code: string) => void {
  const refused = new Counter({
    name: 'counterfoil_sign_ins_refused_total',
    help: 'Sign-ins and step-ups of the dashboard that were refused, by what was tried and why.',
    labelNames: ['kind', 'reason'],
    registers: [registry],
  });
  return (route, code) => {
    const [kind, reason] = [KINDS[route ?? ''], REASONS[code]];
    if (kind !== undefined && reason !== undefined) refused.inc({ kind, reason });
  };
}
