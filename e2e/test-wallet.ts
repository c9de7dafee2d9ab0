import type { Page } from '../apps/checkout/preview/browser.ts';
import type { Anvil } from '../apps/server/rig/chains/evm/anvil.ts';
import { FAUCET } from '../apps/server/rig/chains/evm/sender.ts';
import type { CheckoutSite } from '../apps/server/rig/site/checkout-site.ts';

/** A wallet inside the browser, announced by EIP-6963; it signs through the nodes and does what is asked. */

export type WalletCall = { method: string; params?: unknown[] };

export async function installWallet(page: Page, site: CheckoutSite, calls: WalletCall[]): Promise<void> {
  let chainId = 1n;
  const chainOf = (id: bigint): Anvil | undefined =>
    Object.values(site.chains).find((anvil) => BigInt(anvil.chainId) === id);
  await page.exposeFunction('askTestWallet', async (call: WalletCall) => {
    calls.push(call);
    if (call.method === 'eth_requestAccounts') return [FAUCET];
    if (call.method === 'eth_chainId') return `0x${chainId.toString(16)}`;
    if (call.method === 'wallet_switchEthereumChain') {
      const [{ chainId: wanted }] = call.params as [{ chainId: string }];
      chainId = BigInt(wanted);
      return null;
    }
    return chainOf(chainId)?.rpc(call.method, call.params ?? []);
  });
  await page.addInitScript(() => {
    type Ask = (call: unknown) => Promise<unknown>;
    const request = (call: unknown) => (window as unknown as { askTestWallet: Ask }).askTestWallet(call);
    const info = { uuid: 'e2e', name: 'Test Wallet', rdns: 'test.wallet', icon: 'data:image/svg+xml,<svg/>' };
    const announce = () => {
      const detail = Object.freeze({ info, provider: { request } });
      window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
    };
    window.addEventListener('eip6963:requestProvider', announce);
    announce();
  });
}
