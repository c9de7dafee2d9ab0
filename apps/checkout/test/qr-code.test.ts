import { encode } from 'uqr';
import { expect, test } from 'vitest';
import { drawQrCode } from '../src/qr-code.ts';

const ADDRESS = '0x8894E0a0c962CB723c1976a4421c95949bE2D4E3';
const QUIET_ZONE = 4;

/** Modules that the drawing paints black, as row and column without the quiet zone. */
function painted(svg: string): string[] {
  const path = /fill="#000" d="([^"]+)"/.exec(svg)?.[1] ?? '';
  let [column, row] = [0, 0];
  return [...path.matchAll(/(M|m)(\d+) (\d+)h(\d+)v1h-(\d+)z/g)].flatMap(([, move, x, y, width, back]) => {
    expect(width).toBe(back);
    // A closed run ends where it began.
    [column, row] = move === 'M' ? [Number(x), Number(y)] : [column + Number(x), row + Number(y)];
    return Array.from(
      { length: Number(width) },
      (_unused, offset) => `${row - QUIET_ZONE} ${column - QUIET_ZONE + offset}`,
    );
  });
}

test('the picture has exactly the modules of the bare address, in a quiet zone of four', () => {
  const svg = drawQrCode(ADDRESS);
  const { data, size } = encode(ADDRESS, { ecc: 'M', border: 0 });
  const black = data.flatMap((row, y) => row.flatMap((module, x) => (module ? [`${y} ${x}`] : [])));
  expect(painted(svg)).toEqual(black);
  expect(svg).toContain(`viewBox="0 0 ${size + 8} ${size + 8}" shape-rendering="crispEdges"`);
  expect(svg).not.toMatch(/style|aria|width=/);
});
