import fc from 'fast-check';

/**
 * fast-check with a seed: every run checks the same cases. `COUNTERFOIL_SEED` sets another seed, which is printed so
 * that a failing run can be repeated.
 */

const SEED = 20_261_118;
const asked = process.env['COUNTERFOIL_SEED'];
const seed = asked === undefined ? SEED : Number(asked);
if (!Number.isSafeInteger(seed)) throw new Error('COUNTERFOIL_SEED must be a whole number.');
if (asked !== undefined) process.stdout.write(`COUNTERFOIL_SEED=${seed}\n`);
fc.configureGlobal({ seed });

export { fc };
