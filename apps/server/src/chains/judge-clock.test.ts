import { expect, test } from 'vitest';
import type { HeadFact } from './judge-clock.ts';
import { judgeClock } from './judge-clock.ts';

const NOW_MS = Date.UTC(2026, 10, 15, 12);
const at = (seconds: number) => new Date(NOW_MS + seconds * 1_000);

/** A network's head: seconds late (early if negative), and seconds since it was read. */
type Given = [network: string, lateSeconds: number, readSecondsAgo?: number | null];

const factOf = ([network, late, ago = 1]: Given): HeadFact => ({
  network,
  headTime: at(-(ago ?? 0) - late),
  headReadAt: ago === null ? null : at(-ago),
});

const judge = (given: readonly Given[], rate?: number, most?: number) =>
  judgeClock(given.map(factOf), { nowMs: () => NOW_MS, ...(rate !== undefined && { rate }) }, most);

test.each<[string, Given[], number]>([
  ['nothing is followed', [], 0],
  [
    'heads as they usually are',
    [
      ['BSC', 1],
      ['ETH', 13],
      ['TRC20', 7],
      ['SOL', 3],
    ],
    4,
  ],
  ['a head a minute ahead', [['ARBITRUM', -60]], 1],
  [
    'a platform whose clock is wrong, beside a chain that is in time',
    [
      ['EXCHANGE_PAY:BINANCE', -300],
      ['BSC', 1],
    ],
    2,
  ],
  [
    'one network that halted',
    [
      ['BASE', 7_000],
      ['BSC', 1],
      ['ETH', 12],
    ],
    3,
  ],
  [
    'two networks that halted together',
    [
      ['OPTIMISM', 900],
      ['BASE', 900],
      ['BSC', 1],
    ],
    3,
  ],
  [
    'three that halted at different times',
    [
      ['OPTIMISM', 900],
      ['BASE', 915],
      ['POLYGON', 930],
    ],
    3,
  ],
  [
    'three that are late alike, but within a minute',
    [
      ['BSC', 60],
      ['ETH', 55],
      ['SOL', 58],
    ],
    3,
  ],
  [
    'nodes that were last asked long ago',
    [
      ['BSC', 600, 61],
      ['ETH', 605, 61],
      ['SOL', 600, 61],
    ],
    0,
  ],
  [
    'heads of before heads were dated',
    [
      ['BSC', 600, null],
      ['ETH', 600, null],
      ['SOL', 600, null],
    ],
    0,
  ],
  [
    'two late alike and one whose read is old',
    [
      ['BSC', 600],
      ['ETH', 605],
      ['SOL', 600, 120],
    ],
    2,
  ],
])('the clock may be right: %s', (_title, given, heard) => {
  expect(judge(given)).toEqual({ right: true, heard });
});

test.each<[string, Given[], number, string[]]>([
  [
    'a head from the future',
    [
      ['BSC', -61],
      ['ETH', 10],
    ],
    -61,
    ['BSC'],
  ],
  [
    'all heads from the future',
    [
      ['BSC', -600],
      ['ETH', -590],
    ],
    -600,
    ['BSC', 'ETH'],
  ],
  [
    'three networks late by ten minutes',
    [
      ['BSC', 601],
      ['ETH', 610],
      ['SOL', 603],
    ],
    601,
    ['BSC', 'SOL', 'ETH'],
  ],
  [
    'just over a minute',
    [
      ['BSC', 61],
      ['ETH', 71],
      ['SOL', 62],
    ],
    61,
    ['BSC', 'SOL', 'ETH'],
  ],
  [
    'three alike beside one that halted and one that halted longer',
    [
      ['BASE', 5_000],
      ['BSC', 301],
      ['ETH', 309],
      ['POLYGON', 200],
      ['SOL', 302],
    ],
    301,
    ['BSC', 'SOL', 'ETH'],
  ],
])('the clock is wrong: %s', (_title, given, aheadSeconds, networks) => {
  expect(judge(given)).toEqual({ right: false, aheadSeconds, networks });
});

test('the limits of a wrong clock are as long in real time on a clock that runs faster', () => {
  const late: Given[] = [
    ['BSC', 601],
    ['ETH', 650],
    ['SOL', 603],
  ];
  expect(judge(late, 20)).toEqual({ right: true, heard: 3 });
  expect(
    judge(
      [
        ['BSC', 1_201],
        ['ETH', 1_390],
        ['SOL', 1_300],
      ],
      20,
    ),
  ).toMatchObject({ right: false });
});

test('the limit of a wrong clock may be made stricter', () => {
  const late: Given[] = [
    ['BSC', 40],
    ['ETH', 45],
    ['SOL', 41],
  ];
  expect(judge(late)).toMatchObject({ right: true });
  expect(judge(late, 1, 30)).toMatchObject({ right: false, aheadSeconds: 40 });
});
