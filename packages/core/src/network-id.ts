/**
 * A chain's id is its public symbol (`BSC`). Exchange platforms share one symbol (`EXCHANGE_PAY:BINANCE` is shown as
 * `EXCHANGE_PAY`), and a sandbox network has that of the chain it imitates (`sandbox:BSC`).
 */

const SEPARATOR = ':';
const SANDBOX = 'sandbox';
export const SANDBOX_PREFIX = `${SANDBOX}${SEPARATOR}`;
export const PLATFORM_PREFIX = 'EXCHANGE_PAY:';

export function isPlatformId(id: string): boolean {
  return id.startsWith(PLATFORM_PREFIX);
}

/** Test stores receive only in the sandbox, and other stores never do. */
export function isSandboxId(id: string): boolean {
  return id.startsWith(SANDBOX_PREFIX);
}

/** The symbol in the merchant API. Internally, networks are identified by id. */
export function publicSymbol(id: string): string {
  const [kind = id, name] = id.split(SEPARATOR, 2);
  return kind === SANDBOX && name !== undefined ? name : kind;
}

/** A payment method in the merchant API, such as `BSC:USDT`. */
export const publicMethod = (network: string, token: string): string => `${publicSymbol(network)}${SEPARATOR}${token}`;
