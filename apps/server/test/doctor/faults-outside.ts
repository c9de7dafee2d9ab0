import { createServer } from 'node:http';
import { callRpc } from '../../rig/chains/json-rpc.ts';
import { closeServer, deadUrl, listen } from '../../rig/fakes/listen.ts';
import { startApi } from '../../rig/processes/server-process.ts';
import type { PriceSource } from '../../src/prices/price-source.ts';
import type { HealthyInstance } from '../../rig/site/healthy-instance.ts';
import { bscAt, startBsc } from '../../rig/site/healthy-instance.ts';

import type { Ends, Faults } from './planted-fault.ts';

/** Faults of what an installation reaches over the network: nodes, its own addresses, email and prices. */

async function startStranger(ends: Ends, status = 200, text = '<h1>Welcome to nginx</h1>'): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(status).end(text));
  const port = await listen(server);
  ends.push(() => closeServer(server));
  return `http://127.0.0.1:${port}`;
}

async function startChain(ends: Ends, options: Parameters<typeof startBsc>[0]): Promise<string> {
  const chain = await startBsc(options);
  ends.push(() => chain.stop());
  return chain.url;
}

/** A node that has dropped its old blocks. */
async function startShallowNode(ends: Ends, nodeUrl: string): Promise<string> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => void answer(Buffer.concat(parts).toString()).then((text) => response.end(text)));
  });
  type Call = { id: unknown; method: string; params: unknown[] };
  const one = async ({ id, method, params }: Call) => {
    const isOld = method === 'eth_getBlockByNumber' && params[0] === '0x1';
    const result = isOld ? null : await callRpc(nodeUrl, { method, params });
    return { jsonrpc: '2.0', id, result };
  };
  const answer = async (body: string) => {
    const asked = JSON.parse(body) as Call | Call[];
    return JSON.stringify(Array.isArray(asked) ? await Promise.all(asked.map(one)) : await one(asked));
  };
  const port = await listen(server);
  ends.push(() => closeServer(server));
  return `http://127.0.0.1:${port}`;
}

/** Faults of nodes of BSC, whose second provider is a good one. */
function faultsOfNodes(healthy: () => HealthyInstance, ends: Ends): Faults {
  const bsc = async (url: string) => ({
    chains: [await bscAt(url, healthy().chain.url.replace('127.0.0.1', 'localhost'))],
  });
  return {
    'a node of another chain': {
      change: async () => bsc(await startChain(ends, { chainId: 97 })),
      found: /^node of BSC: .*97/,
    },
    'a node that is down': { change: async () => bsc(await deadUrl()), found: /^node of BSC: 127\.0\.0\.1/ },
    'a node that stands still': {
      change: async () => bsc(await startChain(ends, { ageSeconds: 7_200 })),
      found: /^node of BSC: .*s old: the node is behind/,
    },
    'a node without history': {
      change: async () => bsc(await startShallowNode(ends, healthy().chain.url)),
      found: /^node of BSC: .*72 hours/,
    },
    'one provider alone': {
      change: async () => ({ chains: [await bscAt(healthy().chain.url)] }),
      found: /^nodes of BSC: Only one provider/,
    },
    'one provider twice': {
      change: async () => ({ chains: [await bscAt(healthy().chain.url, `${healthy().chain.url}/second`)] }),
      found: /^nodes of BSC: .*same host/,
    },
  };
}

function faultsOfAddresses(healthy: () => HealthyInstance, ends: Ends): Faults {
  return {
    'a host name without an address': {
      change: async () => ({ resolve: () => Promise.reject(new Error('ENOTFOUND')) }),
      found: /^checkout address: .*no address in DNS/,
    },
    'a checkout that does not answer': {
      change: async () => ({ checkoutUrl: await deadUrl() }),
      found: /^checkout address: .*cannot be reached/,
    },
    'somebody else at the checkout': {
      change: async () => ({ checkoutUrl: await startStranger(ends) }),
      found: /^checkout address: Something else answers/,
    },
    'the dashboard at the address of the checkout': {
      change: async () => ({ checkoutUrl: healthy().dashboardUrl }),
      found: /^checkout address: Something else answers/,
    },
    'the checkout at the address of the dashboard': {
      change: async () => ({ dashboardUrl: healthy().context.checkoutUrl }),
      found: /^dashboard address: Something else answers/,
    },
    'a checkout that fails in our own words': {
      change: async () => ({ checkoutUrl: await startStranger(ends, 503, '{"error_code":"MISSING_API_KEY"}') }),
      found: /^checkout address: Something else answers .*503/,
    },
    'a checkout that knows no such path': {
      change: async () => ({ checkoutUrl: await startStranger(ends, 404, '{"error_code":"NOT_FOUND"}') }),
      found: /^checkout address: Something else answers .*404/,
    },
    'a dashboard that knows no such path': {
      change: async () => ({ dashboardUrl: await startStranger(ends, 404, '{}') }),
      found: /^dashboard address: Something else answers .*404/,
    },
    'a proxy that is not trusted': {
      change: async () => {
        const api = await startApi(healthy().own.url, { COUNTERFOIL_ENVIRONMENT: 'production' });
        ends.push(() => api.stop());
        return { checkoutUrl: api.url };
      },
      found: /^checkout address: .*the proxy is not trusted/,
    },
  };
}

const empty = (name: string): PriceSource => ({ name, fetchReports: async () => [] });

const withoutBnb = (source: PriceSource): PriceSource => ({
  name: source.name,
  fetchReports: async (...asked) => (await source.fetchReports(...asked)).filter(({ token }) => token !== 'BNB'),
});

function faultsOfMailAndPrices(healthy: () => HealthyInstance): Faults {
  return {
    'a mail server that refuses our password': {
      change: async () => {
        const { mailServer } = healthy().context;
        return { mailServer: mailServer && { ...mailServer, signIn: { user: 'counterfoil', password: 'wrong' } } };
      },
      found: /^mail: .*535/,
    },
    'price sources that answer without a price': {
      change: async () => {
        return { priceSources: [...healthy().context.priceSources.slice(0, 1), empty('kraken'), empty('coinbase')] };
      },
      found: /^prices: Too few.*kraken/,
    },
    'a coin that one source alone has a price of': {
      change: async () => {
        const [first, ...others] = healthy().context.priceSources;
        return { priceSources: [...(first ? [first] : []), ...others.map(withoutBnb)] };
      },
      found: /^prices: .*BNB/,
    },
    'price sources that are not reached': {
      change: async () => {
        const [first] = healthy().context.priceSources;
        const silent = { name: 'kraken', fetchReports: () => Promise.reject(new Error('no way')) };
        return { priceSources: [...(first ? [first] : []), silent, { ...silent, name: 'coinbase' }] };
      },
      found: /^prices: Too few/,
    },
  };
}

export const faultsOutside = (healthy: () => HealthyInstance, ends: Ends): Faults => ({
  ...faultsOfNodes(healthy, ends),
  ...faultsOfAddresses(healthy, ends),
  ...faultsOfMailAndPrices(healthy),
});
