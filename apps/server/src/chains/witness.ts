import { Refusal } from '../lib/refusal.ts';
import type { ChainSource } from '../sources/chain-source.ts';
import { SourceError } from '../sources/chain-source.ts';

/** Witnesses: the two providers of an operator's rescan, never replaced; or the only configured one, asked twice. */
export type Witnesses = {
  first: string;
  /** The same as `first` when one provider is asked twice. */
  second: string;
  /** Whether an operator trusts the only witness alone. */
  trusted: boolean;
  /** Highest block that both witnesses call final. */
  finalized: number;
};

export const isAlone = ({ first, second }: Witnesses) => first === second;

export const witnessNames = ({ first, second }: Witnesses): string[] => [...new Set([first, second])];

/** Refuses a single witness below every stored header (`hasHeaders` is false), where nothing confirms it. */
export function refuseWitnesses(witnesses: Witnesses, hasHeaders: boolean): Refusal | undefined {
  if (!isAlone(witnesses) || witnesses.trusted || hasHeaders) return undefined;
  return new Refusal('PROVIDER_ALONE_BELOW_HEADERS', { provider: witnesses.first });
}

/** The first providers that answer, in configured order, or the one that an operator names. */
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
