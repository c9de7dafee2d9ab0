import { expect, test } from 'vitest';
import type { UnmatchedExplanation, UnmatchedFacts } from './unmatched-transfer.ts';
import { explainUnmatched } from './unmatched-transfer.ts';

const quotes = (...amounts: bigint[]) => amounts.map((displayUnits) => ({ quoteId: displayUnits, displayUnits }));

type Row = [string, Partial<UnmatchedFacts>, Omit<UnmatchedExplanation, 'isAmbiguous'>];

test.each<Row>([
  ['nothing was open', {}, { reason: 'unknown', quoteId: null }],
  ['another token was open', { addressWasOpen: true }, { reason: 'wrong_token', quoteId: null }],
  ['one amount above, near', { above: quotes(1_050n) }, { reason: 'short', quoteId: 1_050n }],
  ['one amount above, just near', { above: quotes(1_111n) }, { reason: 'short', quoteId: 1_111n }],
  ['one amount above, far', { above: quotes(1_112n) }, { reason: 'short', quoteId: null }],
  ['one amount below, near', { below: quotes(950n) }, { reason: 'over', quoteId: 950n }],
  ['one amount below, just near', { below: quotes(910n) }, { reason: 'over', quoteId: 910n }],
  ['one amount below, far', { below: quotes(909n) }, { reason: 'over', quoteId: null }],
  ['an amount that it exceeds by a rest', { below: quotes(1_000n) }, { reason: 'over', quoteId: 1_000n }],
  ['as far from both', { above: quotes(1_200n), below: quotes(800n) }, { reason: 'short', quoteId: null }],
  ['nearer to the one below', { above: quotes(1_060n), below: quotes(950n) }, { reason: 'over', quoteId: null }],
  [
    'nearer to the one above, which alone is near',
    { above: quotes(1_050n), below: quotes(500n) },
    { reason: 'short', quoteId: 1_050n },
  ],
  ['two above that are near', { above: quotes(1_040n, 1_060n) }, { reason: 'short', quoteId: null }],
  ['two below, of which one is near', { below: quotes(990n, 500n) }, { reason: 'over', quoteId: 990n }],
])('a transfer of 1,000 where %s', (_situation, facts, explanation) => {
  expect(
    explainUnmatched({ displayUnits: 1_000n, above: [], below: [], addressWasOpen: false, ...facts }),
  ).toMatchObject(explanation);
});

test.each<[string, Partial<UnmatchedFacts>, boolean]>([
  ['two near amounts above', { above: quotes(1_040n, 1_060n) }, true],
  ['a near amount on each side', { above: quotes(1_050n), below: quotes(950n) }, true],
  ['one near amount', { above: quotes(1_050n), below: quotes(500n) }, false],
  ['no near amount', { above: quotes(5_000n), below: quotes(500n) }, false],
])('whether a transfer of 1,000 may be meant for several quotes, with %s', (_situation, facts, isAmbiguous) => {
  const given = { displayUnits: 1_000n, above: [], below: [], addressWasOpen: false, ...facts };
  expect(explainUnmatched(given).isAmbiguous).toBe(isAmbiguous);
});
