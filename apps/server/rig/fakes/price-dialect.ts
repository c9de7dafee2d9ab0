import { formatDecimal } from '@counterfoil/core/amount.ts';

/** What the fake exchanges have in common: how they answer a request from one table of prices. */

export const DECIMALS = 8;

type Answer = { status?: number; body: unknown };
export type Dialect = (request: URL, priceOf: (asset: string) => bigint | undefined, at: Date) => Answer;

export const shown = (units: bigint) => formatDecimal(units, DECIMALS, DECIMALS);
