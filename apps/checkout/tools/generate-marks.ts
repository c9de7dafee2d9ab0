import { readFile, writeFile } from 'node:fs/promises';

/**
 * Writes the marks of tokens, networks and exchange platforms out of `@web3icons/core`, whose modules are far too many
 * to import. With `--check` it writes nothing and fails when the file is stale.
 */

const TOKENS = ['USDT', 'USDC', 'BNB', 'ETH', 'TRX', 'SOL', 'POL', 'AVAX'];
/** Where the package keeps the mark of each network. */
const NETWORKS: Record<string, string> = {
  BSC: 'networks/background/binance-smart-chain',
  ETH: 'networks/background/ethereum',
  TRC20: 'networks/background/tron',
  SOL: 'networks/background/solana',
  POLYGON: 'networks/background/polygon',
  ARBITRUM: 'networks/background/arbitrum-one',
  OPTIMISM: 'networks/background/optimism',
  BASE: 'networks/background/base',
  AVAX: 'networks/background/avalanche',
  'EXCHANGE_PAY:BINANCE': 'exchanges/background/binance',
  'EXCHANGE_PAY:OKX': 'exchanges/background/okx',
  'EXCHANGE_PAY:BYBIT': 'exchanges/background/bybit',
  'EXCHANGE_PAY:KUCOIN': 'exchanges/background/kucoin',
};

/** A clip to the edges of the drawing, which hides nothing: each mark has one, under an id of its own. */
const CLIP = /<clipPath id="[^"]+"><path fill="#fff" d="M0 0h24v24H0z"\/><\/clipPath>/;

/** The drawing inside of a mark's file, on a square of 24. */
function bodyOf(svg: string, path: string): string {
  const [, body] = /^<svg [^>]*viewBox="0 0 24 24"[^>]*>(.*)<\/svg>$/s.exec(svg.trim()) ?? [];
  const tight = body?.replaceAll(/\s*\n\s*/g, '') ?? '';
  const [, drawn, more] = /^<g clip-path="[^"]+">(.*)<\/g><defs>(.*)<\/defs>$/.exec(tight) ?? [];
  if (drawn === undefined || more === undefined || !CLIP.test(more)) throw new Error(`${path} is drawn in a new way.`);
  return more.replace(CLIP, '') + drawn;
}

async function readMark(path: string): Promise<string> {
  const { default: svg } = (await import(`@web3icons/core/svgs/${path}.svg.js`)) as { default: string };
  return bodyOf(svg, path);
}

async function writeRecord(name: string, about: string, paths: Record<string, string>): Promise<string> {
  const lines: string[] = [];
  for (const [key, path] of Object.entries(paths)) lines.push(`  '${key}': '${await readMark(path)}',`);
  return `/** ${about} */\nexport const ${name}: Readonly<Record<string, string>> = {\n${lines.join('\n')}\n};\n`;
}

const file = new URL('../src/generated/marks.ts', import.meta.url);
const tokens = Object.fromEntries(TOKENS.map((token) => [token, `tokens/background/${token}`]));
const content = `// Written by \`pnpm generate\` out of @web3icons/core; marks.LICENSE.txt is its licence. The marks are their owners' trade marks.

${await writeRecord('TOKEN_MARKS', 'Marks of tokens by symbol, each drawn on a square of 24.', tokens)}
${await writeRecord('NETWORK_MARKS', 'Marks of networks and exchange platforms by id, each drawn on a square of 24.', NETWORKS)}`;
if ((await readFile(file, 'utf8').catch(() => '')) !== content) {
  if (process.argv.includes('--check')) {
    console.error('Stale: apps/checkout/src/generated/marks.ts. Run pnpm generate and commit the result.');
    process.exitCode = 1;
  } else {
    await writeFile(file, content);
    console.log('wrote apps/checkout/src/generated/marks.ts');
  }
}
