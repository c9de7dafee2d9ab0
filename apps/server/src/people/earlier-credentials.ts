import { DAY_MS } from '@counterfoil/core/duration.ts';

/** Credentials from before a change, kept for some days so that a takeover can be undone. */

/** How long replaced credentials are kept and an undo link works. */
const KEPT_DAYS = 7;
/** Most changes in that time. */
export const MAX_KEPT = 50;

export const keptUntil = (at: Date) => new Date(at.getTime() + KEPT_DAYS * DAY_MS);
export const changedSince = (now: Date) => new Date(now.getTime() - KEPT_DAYS * DAY_MS);

export type CredentialKind = 'address' | 'password' | 'factors';

type EarlierPasskey = {
  credentialId: string;
  publicKey: string;
  signCount: number;
  transports: string[];
  backedUp: boolean;
  name: string;
  createdAt: string;
  lastUsedAt: string | null;
};

/** Credentials as JSON: bytes in hex, times as the database prints them. */
export type Credentials = {
  mail: { normal: string; shown: string };
  password: { hash: string; setAt: string } | null;
  totp: { secretId: string; confirmedAt: string; lastStep: string } | null;
  passkeys: EarlierPasskey[];
  recovery: { hash: string; usedAt: string | null }[];
};

export const credentialsPurpose = (personId: bigint, keptAt: Date) =>
  `earlier_credentials:${personId}:${keptAt.getTime()}`;

export type UsedMethod =
  | { kind: 'totp'; secretId: string; step: bigint }
  | { kind: 'passkey'; credentialId: string; signCount: number }
  | { kind: 'recovery'; hash: string; usedAt: string };

/** The two-factor methods of credentials, by unique name. */
export function methodsOf({ totp, passkeys, recovery }: Credentials): string[] {
  return [
    ...(totp ? [`totp:${totp.secretId}`] : []),
    ...passkeys.map(({ credentialId }) => `passkey:${credentialId}`),
    ...recovery.map(({ hash }) => `recovery:${hash}`),
  ];
}

export function nameOfMethod(used: UsedMethod): string {
  switch (used.kind) {
    case 'totp':
      return `totp:${used.secretId}`;
    case 'passkey':
      return `passkey:${used.credentialId}`;
    case 'recovery':
      return `recovery:${used.hash}`;
  }
}

/** Earlier credentials with every later use of their methods, so that no code works twice. */
export function withLaterUses(earlier: Credentials, later: readonly Credentials[]): Credentials {
  const { totp } = earlier;
  const steps = later.flatMap((one) =>
    totp && one.totp?.secretId === totp.secretId ? [BigInt(one.totp.lastStep)] : [],
  );
  const passkeys = later.flatMap((one) => one.passkeys);
  const used = new Map(later.flatMap((one) => one.recovery.map(({ hash, usedAt }) => [hash, usedAt])));
  return {
    ...earlier,
    totp: totp && {
      ...totp,
      lastStep: String(steps.reduce((most, step) => (step > most ? step : most), BigInt(totp.lastStep))),
    },
    passkeys: earlier.passkeys.map((passkey) => ({
      ...passkey,
      signCount: Math.max(
        passkey.signCount,
        ...passkeys
          .filter(({ credentialId }) => credentialId === passkey.credentialId)
          .map(({ signCount }) => signCount),
      ),
    })),
    recovery: earlier.recovery.map(({ hash, usedAt }) => ({ hash, usedAt: usedAt ?? used.get(hash) ?? null })),
  };
}

/** Uses a method; undefined when it does not exist or was used before. */
export function useMethod(credentials: Credentials, used: UsedMethod): Credentials | undefined {
  switch (used.kind) {
    case 'totp': {
      const { totp } = credentials;
      if (totp?.secretId !== used.secretId || used.step <= BigInt(totp.lastStep)) return undefined;
      return { ...credentials, totp: { ...totp, lastStep: String(used.step) } };
    }
    case 'passkey': {
      const isGood = (one: EarlierPasskey) =>
        one.credentialId === used.credentialId &&
        (used.signCount > one.signCount || (used.signCount === 0 && one.signCount === 0));
      if (!credentials.passkeys.some(isGood)) return undefined;
      const use = (one: EarlierPasskey) => (isGood(one) ? { ...one, signCount: used.signCount } : one);
      return { ...credentials, passkeys: credentials.passkeys.map(use) };
    }
    case 'recovery': {
      const isGood = ({ hash, usedAt }: { hash: string; usedAt: string | null }) =>
        hash === used.hash && usedAt === null;
      if (!credentials.recovery.some(isGood)) return undefined;
      const use = (one: { hash: string; usedAt: string | null }) =>
        isGood(one) ? { ...one, usedAt: used.usedAt } : one;
      return { ...credentials, recovery: credentials.recovery.map(use) };
    }
  }
}
