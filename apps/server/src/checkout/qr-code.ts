import { encode } from 'uqr';
import { remember } from '../lib/bounded-map.ts';

/** QR code of the bare receiving address, which every wallet and every exchange app can read. */

const QUIET_ZONE = 4;
const MAX_KEPT = 5_000;

function draw(text: string): string {
  const { data, size } = encode(text, { ecc: 'M', border: 0 });
  const runs: string[] = [];
  for (const [row, modules] of data.entries()) {
    for (let column = 0; column < size; column += 1) {
      if (modules[column] !== true) continue;
      const start = column;
      while (modules[column + 1] === true) column += 1;
      const width = column - start + 1;
      runs.push(`M${start + QUIET_ZONE} ${row + QUIET_ZONE}h${width}v1h-${width}z`);
    }
  }
  const side = size + 2 * QUIET_ZONE;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges">` +
    `<path fill="#fff" d="M0 0h${side}v${side}H0z"/><path fill="#000" d="${runs.join('')}"/></svg>`
  );
}

/** Creates a function that draws each address once: a store has few addresses, and its invoices have many viewers. */
export function createDrawQrCode(): (text: string) => string {
  return remember(draw, { max: MAX_KEPT });
}
