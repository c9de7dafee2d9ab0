import { Refusal } from '../lib/refusal.ts';
import type { ChainSource } from '../sources/chain-source.ts';
import { SourceError } from '../sources/chain-source.ts';

/**
 * Whose word about a range that was read long ago is believed: that of two providers, for neither of whom another stands in;
 * or, where there is only one, that of one provider which is asked twice.
 */
export type Witnesses = {
  first: string;
  /** The same name where one provider is asked twice. */
  second: string;
  /** An operator named it, and takes its word alone. */
  trusted: boolean;
  /** The highest block that both call final. */
  finalized: number;
};

export const isAlone = ({ first, second }: Witnesses) => first === second;

/** Each provider once. */
export const witnessNames = ({ first, second }: Witnesses): string[] => [...new Set([first, second])];

/**
 * Why these witnesses do not suffice for a range; undefined when they do. `held` says whether the range ends among the
 * headers that we hold. Below all of them, nothing that we know ourselves lies near it.
 */
export function refuseWitnesses(witnesses: Witnesses, held: boolean): Refusal | undefined {
  if (!isAlone(witnesses) || witnesses.trusted || held) return undefined;
  return new Refusal('PROVIDER_ALONE_BELOW_HEADERS', { provider: witnesses.first });
}

/** The providers that answer now, in the order of the configuration; or the one that an operator names. */
export async function chooseWitnesses(source: ChainSource, trusted?: string): Promise<Witnesses> {
  if (trusted !== undefined) {
    if (!source.providers.includes(trusted))
      throw new Refusal('PROVIDER_UNKNOWN', { provider: trusted, known: source.providers });
    const { finalized } = await source.heads({ only: trusted });
    return { first: trusted, second: trusted, trusted: true, finalized: finalized.height };
  }
  const first = await source.heads('first');
  if (source.providers.length === 1)
    return { first: first.by, second: first.by, trusted: false, finalized: first.finalized.height };
  const second = await source.heads({ not: first.by }).catch((cause: unknown) => {
    if (!(cause instanceof SourceError)) throw cause;
    throw new Refusal('PROVIDER_ALONE', { provider: first.by, said: cause.message });
  });
  const finalized = Math.min(first.finalized.height, second.finalized.height);
  return { first: first.by, second: second.by, trusted: false, finalized };
}
