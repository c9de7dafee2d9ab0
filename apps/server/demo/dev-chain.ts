/** Chain of `pnpm dev`: a local node as BNB Smart Chain, at the usual port of anvil. */

export const DEV_NETWORK = 'BSC';
export const DEV_TOKEN = 'USDT';
export const DEV_CHAIN_PORT = Number(process.env['COUNTERFOIL_DEV_CHAIN_PORT'] ?? '8545');
export const DEV_CHAIN_URL = `http://127.0.0.1:${DEV_CHAIN_PORT}`;
