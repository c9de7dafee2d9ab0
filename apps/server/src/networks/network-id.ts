/**
 * Network ids. A chain's id is its public symbol (`BSC`). Exchange platforms share one symbol (`EXCHANGE_PAY:BINANCE`
 * is shown as `EXCHANGE_PAY`), and a sandbox network has the symbol of the chain that it imitates (`sandbox:BSC`).
 */

const SEPARATOR = ':';
const SANDBOX = 'sandbox';
/** How the ids of the sandbox's networks begin. */
export const SANDBOX_PREFIX = `${SANDBOX}${SEPARATOR}`;
/** How the ids of exchange platforms begin. */
export const PLATFORM_PREFIX = 'EXCHANGE_PAY:';

export function isPlatformId(id: string): boolean {
  return id.startsWith(PLATFORM_PREFIX);
}

/**
 * Whether a network belongs to the sandbox: only test stores receive there, and test stores receive on no other
 * network.
 */
export function isSandboxId(id: string): boolean {
  return id.startsWith(SANDBOX_PREFIX);
}

/**
 * The symbol of a network in the merchant API. Called only for what outsiders see: inside, networks are named by their
 * ids.
 */
export function publicSymbol(id: string): string {
  const [kind = id, name] = id.split(SEPARATOR, 2);
  return kind === SANDBOX && name !== undefined ? name : kind;
}
