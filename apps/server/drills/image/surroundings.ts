import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Address } from 'viem';
import { Webhook } from 'standardwebhooks';
import { systemClock } from '../../src/lib/clock.ts';
import type { Anvil } from '../../rig/chains/evm/anvil.ts';
import { startLiveChain } from '../../rig/chains/evm/live-chain.ts';
import { payToken } from '../../rig/chains/evm/payment.ts';
import { canonicalToken } from '../../rig/chains/evm/token.ts';
import { findNetwork } from '../../rig/chains/networks.ts';
import { changing, startRpcProxy } from '../../rig/chains/rpc-proxy.ts';
import { startDnsServer } from '../../rig/fakes/dns-server.ts';
import { startHttpReceiver } from '../../rig/fakes/http-receiver.ts';
import { LOOPBACK } from '../../rig/fakes/listen.ts';
import { priceSettings, startPriceServers } from '../../rig/fakes/price-servers.ts';
import { makeMailCertificate } from '../../rig/mail/mail-certificate.ts';
import type { Caddy } from '../../rig/processes/caddy.ts';
import { startCaddy } from '../../rig/processes/caddy.ts';
import type { Closers } from '../../rig/site/site-processes.ts';
import { PUBLIC_ADDRESS } from './own-network.ts';

/** What an installation finds around itself: Caddy, nodes, price sources, names, and a merchant's server. */

export const NETWORK = 'BSC';
export const TOKEN = 'USDT';
const SHOP_HOST = 'shop.example';
const SHOP_PORT = 8443;
const DNS_PORT = 53;
const API_PORT = 3000;
const DASHBOARD_PORT = 3003;
const HTTP_PORT = 80;
const HTTPS_PORT = 443;
/** Distance of `safe` behind the head, in blocks. */
const SLOTS_IN_AN_EPOCH = 1;
const PROVIDERS = [1, 2];

type Told = { body: string; verified: boolean };

/** A merchant's server, which verifies each webhook and answers it when `answerNow` says so. */
type Shop = {
  callbackUrl: string;
  secret: string;
  told: Told[];
  /** Answers all webhooks that wait for an answer, and from now on each at once. */
  answerNow(): void;
};

export type Surroundings = {
  caddy: Caddy;
  shop: Shop;
  /** Settings that name the nodes. */
  nodes: Record<string, string>;
  prices: Record<string, string>;
  /** Files for containers: the name server to ask, and the authorities to believe. */
  resolverFile: string;
  authorityFile: string;
  pay(to: string, units: bigint): Promise<string>;
};

/**
 * Starts two providers of one chain. A local chain cannot have the network's own block 0, and settings that allow
 * another are refused in production, so that these nodes have dropped their oldest blocks.
 */
async function startProviders(anvil: Anvil, closers: Closers): Promise<string[]> {
  const proxies = await Promise.all(PROVIDERS.map(() => startRpcProxy(anvil.url)));
  for (const proxy of proxies) {
    closers.push(() => proxy.stop());
    proxy.answer(
      changing(({ method, params }, result) =>
        method === 'eth_getBlockByNumber' && params[0] === '0x0' ? null : result,
      ),
    );
  }
  return proxies.map(({ url }) => url);
}

async function startShop(certificate: { key: string; certificate: string }, closers: Closers): Promise<Shop> {
  const tls = { key: certificate.key, cert: certificate.certificate };
  const receiver = await startHttpReceiver({ address: PUBLIC_ADDRESS, port: SHOP_PORT, tls });
  closers.push(() => receiver.close());
  const waiting: (() => void)[] = [];
  let held = true;
  const shop: Shop = {
    callbackUrl: `https://${SHOP_HOST}:${SHOP_PORT}/paid`,
    secret: '',
    told: [],
    answerNow: () => {
      held = false;
      for (const answer of waiting.splice(0)) answer();
    },
  };
  const verifies = (body: string, headers: Record<string, string>) => {
    try {
      return Boolean(new Webhook(shop.secret).verify(body, headers));
    } catch {
      return false;
    }
  };
  receiver.answer = (request, response) => {
    const body = receiver.requests.at(-1)?.body ?? '';
    shop.told.push({ body, verified: verifies(body, request.headers as Record<string, string>) });
    const answer = () => void response.end('ok');
    if (held) waiting.push(answer);
    else answer();
  };
  return shop;
}

/** Starts all of it; what was started is closed by `closers`. */
export async function startSurroundings(folder: string, closers: Closers): Promise<Surroundings> {
  const chainId = findNetwork(NETWORK)?.chainId ?? 0;
  const anvil = await startLiveChain({ chainId, slotsInAnEpoch: SLOTS_IN_AN_EPOCH });
  closers.push(() => anvil.stop());
  const providers = await startProviders(anvil, closers);
  const prices = await startPriceServers(systemClock);
  closers.push(() => prices.close());
  const addressOf = (name: string) => (name === SHOP_HOST ? PUBLIC_ADDRESS : LOOPBACK);
  const names = await startDnsServer(({ name, type }) => (type === 'A' ? [addressOf(name)] : []), DNS_PORT);
  closers.push(() => names.close());
  const certificate = await makeMailCertificate(SHOP_HOST);
  closers.push(() => certificate.remove());
  const shop = await startShop(certificate, closers);
  const caddy = await startCaddy({
    api: `${LOOPBACK}:${API_PORT}`,
    dashboard: `${LOOPBACK}:${DASHBOARD_PORT}`,
    httpPort: HTTP_PORT,
    httpsPort: HTTPS_PORT,
  });
  closers.push(() => caddy.stop());
  const [resolverFile, authorityFile] = [join(folder, 'resolv.conf'), join(folder, 'authorities.pem')];
  await writeFile(resolverFile, `nameserver ${LOOPBACK}\n`);
  await writeFile(authorityFile, `${certificate.certificate}\n${caddy.rootCertificate}`);
  const token = canonicalToken(chainId, TOKEN).address;
  return {
    caddy,
    shop,
    nodes: { [`COUNTERFOIL_RPC_${NETWORK}`]: providers.join(',') },
    prices: priceSettings(prices),
    resolverFile,
    authorityFile,
    pay: (to, units) => payToken(anvil, { token, to: to as Address, units }),
  };
}
