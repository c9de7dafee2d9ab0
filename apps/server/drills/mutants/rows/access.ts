import type { Mutant } from '../mutant.ts';

/** Bugs in two-factor methods, recovery codes and businesses that users open. */
export const ACCESS_MUTANTS: readonly Mutant[] = [
  {
    name: 'app-confirmed-by-any-code',
    edits: [
      {
        file: 'src/people/confirm-totp.ts',
        find: 'const step = findTotpStep(secret, code, clock.nowMs(), 0n);',
        replace: 'const step = findTotpStep(secret, code, clock.nowMs(), 0n) ?? 1n;',
      },
    ],
    suite: 'test/dashboard/fresh-factors.test.ts',
    title: 'an owner whose passkey and code were rejected still has no two-factor method',
  },
  {
    name: 'added-passkey-keeps-token',
    edits: [
      {
        file: 'src/people/raise-proof.ts',
        find: '  await revokeSession(tx, actor.sessionHash, at);\n',
        replace: '',
      },
      {
        file: 'src/people/raise-proof.ts',
        find: "import { revokeSession } from './session-sql.ts';\n",
        replace: '',
      },
    ],
    suite: 'test/dashboard/fresh-factors.test.ts',
    title: 'a session that adds a passkey gets a new token, and a copy of the old one is worthless',
  },
  {
    name: 'proof-outlives-last-method',
    edits: [
      {
        file: 'src/people/remove-passkey.ts',
        find: '      await lowerProof(tx, sessionHash);\n',
        replace: '',
      },
      {
        file: 'src/people/remove-passkey.ts',
        find: 'import { lowerProof, revokeSessionsOf }',
        replace: 'import { revokeSessionsOf }',
      },
    ],
    suite: 'test/dashboard/fresh-factors.test.ts',
    title: 'a session has no two-factor once the last method of its user is removed',
  },
  {
    name: 'passkey-without-recovery-codes',
    edits: [
      {
        file: 'src/people/add-passkey.ts',
        find: 'await issueFirstCodes(tx, personId);',
        replace: '(await issueFirstCodes(tx, personId)).slice(10);',
      },
    ],
    suite: 'test/dashboard/recovery-codes.test.ts',
    title: 'a first method that is a passkey comes with ten recovery codes, one of which signs in',
  },
  {
    name: 'recovery-codes-not-confirmed',
    edits: [
      {
        file: 'src/people/issue-recovery-codes.ts',
        find: 'await saveCodesConfirmed(tx, personId, false);',
        replace: 'await saveCodesConfirmed(tx, personId, true);',
      },
    ],
    suite: 'test/dashboard/recovery-codes.test.ts',
    title: 'an owner adds a wallet to a live store only after typing one of the recovery codes, which stays valid',
  },
  {
    name: 'fourth-own-merchant',
    edits: [
      {
        file: 'src/db/migrations/0072-own-merchants.sql',
        find: 'where opened_by = me) >= 3 then',
        replace: 'where opened_by = me) >= 4 then',
      },
    ],
    suite: 'test/dashboard/own-merchants.test.ts',
    title: 'a user opens at most three businesses',
  },
  {
    name: 'second-fee-trial',
    edits: [
      {
        file: 'src/merchants/own-merchant-sql.ts',
        find: 'where p.id = m.opened_by and p.fee_trial_at is null returning 1)',
        replace: 'where p.id = m.opened_by returning 1)',
      },
    ],
    suite: 'test/dashboard/own-merchants.test.ts',
    title: 'a user has one fee trial, in the first live store of all businesses that they opened',
  },
  {
    name: 'live-store-before-approval',
    edits: [
      {
        file: 'src/stores/create-store.ts',
        find: 'if (live && (await isMerchantWaiting(tx, merchantAccountId)))',
        replace: 'if (!live && (await isMerchantWaiting(tx, 0n)))',
      },
    ],
    suite: 'test/dashboard/own-merchants.test.ts',
    title: 'a business that waits for approval has test stores only, and live ones once an operator approved it',
  },
];
