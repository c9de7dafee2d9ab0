import type { QuoteView } from './checkout-view.ts';

/** Browser wallets (EIP-6963), and the one transfer that they are asked to send. */

export type Provider = { request: (call: { method: string; params?: unknown[] }) => Promise<unknown> };
export type InjectedWallet = { id: string; name: string; icon: string | null; provider: Provider };
export type Transfer = NonNullable<QuoteView['injected']>;

type Announcement = { info?: { uuid?: unknown; name?: unknown; icon?: unknown }; provider?: Provider };

const WALLETS_MAX = 6;
const NAME_MAX_CHARACTERS = 40;
const TRANSFER_SELECTOR = 'a9059cbb';
const WORD_CHARACTERS = 64;
const DECLINED = 4001;
const UNKNOWN_CHAIN = 4902;

function readAnnouncement(event: Event): InjectedWallet | null {
  const { info, provider } = (event as CustomEvent<Announcement>).detail ?? {};
  if (typeof info?.uuid !== 'string' || typeof info.name !== 'string' || !provider?.request) return null;
  const icon = typeof info.icon === 'string' && info.icon.startsWith('data:image/') ? info.icon : null;
  return { id: info.uuid, name: info.name.slice(0, NAME_MAX_CHARACTERS), icon, provider };
}

/** Calls `found` with all wallets whenever another one announces itself. */
export function findInjectedWallets(found: (wallets: InjectedWallet[]) => void): void {
  const wallets = new Map<string, InjectedWallet>();
  window.addEventListener('eip6963:announceProvider', (event) => {
    const wallet = readAnnouncement(event);
    if (!wallet || wallets.size >= WALLETS_MAX) return;
    wallets.set(wallet.id, wallet);
    found([...wallets.values()]);
  });
  window.dispatchEvent(new Event('eip6963:requestProvider'));
}

const word = (hex: string) => hex.replace(/^0x/, '').toLowerCase().padStart(WORD_CHARACTERS, '0');

/** A coin is sent as value, a token by its contract's `transfer(address,uint256)`. */
export function encodeTransfer(transfer: Transfer): { to: string; value: string; data?: string } {
  if (transfer.contract === null) return { to: transfer.to, value: transfer.unitsHex };
  const data = `0x${TRANSFER_SELECTOR}${word(transfer.to)}${word(transfer.unitsHex)}`;
  return { to: transfer.contract, value: '0x0', data };
}

export type SendResult = { sent: string } | { failed: 'declined' | 'network' | 'failed' };

const codeOf = (cause: unknown) => (cause as { code?: unknown } | null)?.code;

/** Requests the account, switches the network and sends the exact amount. */
export async function sendTransfer({ request }: Provider, transfer: Transfer): Promise<SendResult> {
  try {
    const accounts = (await request({ method: 'eth_requestAccounts' })) as string[];
    const chainId = async () => BigInt(String(await request({ method: 'eth_chainId' })));
    if ((await chainId()) !== BigInt(transfer.chainIdHex)) {
      await request({ method: 'wallet_switchEthereumChain', params: [{ chainId: transfer.chainIdHex }] });
      // A wallet that reports success but stays on another chain would send the money there.
      if ((await chainId()) !== BigInt(transfer.chainIdHex)) return { failed: 'network' };
    }
    const params = [{ from: accounts[0], ...encodeTransfer(transfer) }];
    return { sent: String(await request({ method: 'eth_sendTransaction', params })) };
  } catch (cause) {
    if (codeOf(cause) === DECLINED) return { failed: 'declined' };
    return { failed: codeOf(cause) === UNKNOWN_CHAIN ? 'network' : 'failed' };
  }
}
