import { encode } from 'uqr';
import { expect, test } from 'vitest';
import { createDrawQrCode } from './qr-code.ts';

const ADDRESS = '0x8894E0a0c962CB723c1976a4421c95949bE2D4E3';
const QUIET_ZONE = 4;

/** Modules that the drawing paints black, as row and column without the quiet zone. */
function painted(svg: string): Set<string> {
  const path = /fill="#000" d="([^"]+)"/.exec(svg)?.[1] ?? '';
  const runs = [...path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)].map((match) => match.slice(1).map(Number));
  return new Set(
    runs.flatMap(([column = 0, row = 0, width = 0]) =>
      Array.from({ length: width }, (_unused, offset) => `${row - QUIET_ZONE} ${column - QUIET_ZONE + offset}`),
    ),
  );
}

test('the picture has exactly the modules of the bare address, in a quiet zone of four', () => {
  const svg = createDrawQrCode()(ADDRESS);
  const { data, size } = encode(ADDRESS, { ecc: 'M', border: 0 });
  const black = data.flatMap((row, y) => row.flatMap((module, x) => (module ? [`${y} ${x}`] : [])));
  expect(painted(svg)).toEqual(new Set(black));
  expect(svg).toContain(`viewBox="0 0 ${size + 8} ${size + 8}" shape-rendering="crispEdges"`);
  expect(svg).not.toMatch(/style|aria|width=/);
});
