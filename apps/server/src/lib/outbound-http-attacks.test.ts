import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DnsServer } from '../../rig/fakes/dns-server.ts';
import { startDnsServer } from '../../rig/fakes/dns-server.ts';
import type { HttpReceiver } from '../../rig/fakes/http-receiver.ts';
import { startHttpReceiver } from '../../rig/fakes/http-receiver.ts';
import type { Outbound, OutboundOptions } from './outbound-http.ts';
import { createOutbound } from './outbound-http.ts';
import { isPublicAddress } from './public-address.ts';
import { createDnsResolver } from './resolver.ts';

const REQUEST = { headers: {}, body: '{}', timeoutMs: 60_000, maxResponseBytes: 10_000 };
// Loopback has 2^24 addresses; this one represents a host on the Internet.
const STAND_IN = '127.0.0.2';
const isAllowed = (address: string) => address === STAND_IN || isPublicAddress(address);

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

function open(options: OutboundOptions): Outbound {
  const outbound = createOutbound(options);
  cleanups.push(() => outbound.close());
  return outbound;
}

async function receive(address: string, port = 0): Promise<HttpReceiver> {
  const receiver = await startHttpReceiver({ address, port });
  cleanups.push(() => receiver.close());
  return receiver;
}

async function serveNames(answer: DnsServer['answer']): Promise<DnsServer> {
  const server = await startDnsServer(answer);
  cleanups.push(() => server.close());
  return server;
}

const resolverOf = (server: DnsServer) => createDnsResolver({ timeoutMs: 30_000, tries: 1, servers: [server.address] });

/** Hosts that lead to internal addresses, in every spelling that URLs allow. */
const HOSTILE_HOSTS: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.1', '127.0.0.2', '127.255.255.254', '[::1]', '[0:0:0:0:0:0:0:1]', '[::0001]'],
  'names of this machine': ['localhost', 'LOCALHOST', 'localhost.', 'ip6-localhost', 'vm', 'sub.localhost'],
  'short forms': ['127.1', '127.0.1', '0', '127.0.0.1.'],
  'other bases': ['2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1', '017700000001', '0x7f.0.0.0x1', '0x0', '00'],
  unspecified: ['0.0.0.0', '[::]', '[::0.0.0.0]'],
  'IPv4 inside of IPv6': [
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::80ff:fffe]',
  ],
  'private and local': [
    '10.0.0.1',
    '172.16.0.1',
    '192.168.0.1',
    '100.64.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '[fe80::1]',
    '[fc00::1]',
    '[fd00::2]',
    '[fec0::1]',
    '[ff02::1]',
  ],
  metadata: ['169.254.169.254', '[fd00:ec2::254]', '100.100.100.200', '192.0.0.192', '168.63.129.16'],
  'other scripts': ['①②⑦.⓪.⓪.①', '127。0。0。1', '127.0.0.１', '%31%32%37.0.0.1', 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ'],
  'names before an @': ['user:pass@127.0.0.1', 'example.com@127.0.0.1', 'example.com%40@127.0.0.1', 'a:b@[::1]'],
  broken: ['127.0.0.1%00.example.com', '[fe80::1%25lo]', '[::1%25lo]', '[::1', '127.0.0.1\\@example.com', '1.2.3.4.5'],
};

describe('a server of our network that listens on every address', () => {
  let canary: HttpReceiver;
  let outbound: Outbound;
  beforeEach(async () => {
    canary = await receive('::');
    outbound = open({});
  });

  test.each(Object.entries(HOSTILE_HOSTS))('a server of our network is not reached by %s', async (_what, hosts) => {
    const results = await Promise.all(hosts.map((host) => outbound.post(`http://${host}:${canary.port}/`, REQUEST)));
    const others = results.flatMap((result, position) =>
      'error' in result && ['refused-address', 'invalid-url', 'dns'].includes(result.error) ? [] : [hosts[position]],
    );
    expect({ others, sockets: canary.sockets.length }).toEqual({ others: [], sockets: 0 });
  });

  test.each(['ftp', 'file', 'gopher', 'ws', 'javascript', 'data', 'unix'])(
    'a server of our network is not reached by %s:',
    async (scheme) => {
      const result = await outbound.post(`${scheme}://127.0.0.1:${canary.port}/`, { ...REQUEST });
      expect(result).toMatchObject({ error: 'invalid-url' });
      expect(canary.sockets).toHaveLength(0);
    },
  );

  test.each([
    ['both are private', ['10.0.0.1', '127.0.0.1']],
    ['the first is public', ['93.184.215.14', '127.0.0.1']],
    ['the last is public', ['::1', '2606:4700:4700::1111']],
    ['one has a zone', ['93.184.215.14', 'fe80::1%lo']],
    ['one is no address', ['93.184.215.14', 'localhost']],
  ])(
    'a server of our network is not reached by a name with several addresses of which %s',
    async (_what, addresses) => {
      const mixed = open({ resolver: () => Promise.resolve(addresses) });
      const result = await mixed.post(`http://shop.example:${canary.port}/`, REQUEST);
      expect(result).toMatchObject({ error: 'refused-address' });
      expect(canary.sockets).toHaveLength(0);
    },
  );

  test('a server of our network is reached in development, where only the rule of ranges is off', async () => {
    const development = open({ allowPrivate: true });
    const at = (host: string) => development.post(`http://${host}:${canary.port}/`, REQUEST);
    expect(await at('localhost')).toMatchObject({ status: 200 });
    expect(await at('[::1]')).toMatchObject({ status: 200 });
    expect(await development.post('ftp://127.0.0.1/', REQUEST)).toMatchObject({ error: 'invalid-url' });
    const zoned = open({ allowPrivate: true, resolver: () => Promise.resolve(['fe80::1%lo']) });
    expect(await zoned.post('http://shop.example/', REQUEST)).toMatchObject({ error: 'refused-address' });
  });

  test('a refused address is not named in the message about it', async () => {
    const named = open({ resolver: () => Promise.resolve(['10.11.12.13']) });
    expect(JSON.stringify(await named.post('http://shop.example/', REQUEST))).not.toContain('10.11');
  });
});

describe('names whose answers change', () => {
  let shop: HttpReceiver;
  let canary: HttpReceiver;
  beforeEach(async () => {
    shop = await receive(STAND_IN);
    canary = await receive('127.0.0.1', shop.port);
  });

  test('a name is asked once per attempt, and the socket goes to the answer that was checked', async () => {
    const names = await serveNames(({ type, time }) => {
      if (type === 'AAAA') return [];
      return [time === 1 ? STAND_IN : '127.0.0.1'];
    });
    const outbound = open({ isAllowed, resolver: resolverOf(names) });
    expect(await outbound.post(`http://shop.example:${shop.port}/`, REQUEST)).toMatchObject({ status: 200 });
    expect(names.questions.map((question) => `${question.name} ${question.type}`).sort()).toEqual([
      'shop.example A',
      'shop.example AAAA',
    ]);
    expect([shop.requests.length, canary.sockets.length]).toEqual([1, 0]);
  });

  test('a name that changes to an internal address is refused at the next attempt, also over a connection that is open', async () => {
    const names = await serveNames(({ type, time }) => (type === 'A' ? [time === 1 ? STAND_IN : '127.0.0.1'] : []));
    const outbound = open({ isAllowed, resolver: resolverOf(names) });
    const post = () => outbound.post(`http://shop.example:${shop.port}/`, REQUEST);
    expect(await post()).toMatchObject({ status: 200 });
    for (let attempt = 0; attempt < 3; attempt += 1) expect(await post()).toMatchObject({ error: 'refused-address' });
    expect([shop.requests.length, canary.sockets.length]).toEqual([1, 0]);
  });

  test('a name that alternates never reaches an internal address, however often and in parallel it is tried', async () => {
    const names = await serveNames(({ type, time }) => (type === 'A' ? [time % 2 ? STAND_IN : '127.0.0.1'] : []));
    const outbound = open({ isAllowed, resolver: resolverOf(names) });
    const post = () => outbound.post(`http://shop.example:${shop.port}/`, REQUEST);
    const results = await Promise.all(Array.from({ length: 40 }, post));
    expect(results.filter((result) => 'status' in result)).toHaveLength(20);
    expect([shop.requests.length, canary.sockets.length]).toEqual([20, 0]);
  });

  test('a public IPv4 address with a private IPv6 address beside it is refused', async () => {
    const names = await serveNames(({ type }) => (type === 'A' ? [STAND_IN] : ['::1']));
    const outbound = open({ isAllowed, resolver: resolverOf(names) });
    const result = await outbound.post(`http://shop.example:${shop.port}/`, REQUEST);
    expect(result).toMatchObject({ error: 'refused-address' });
    expect([shop.sockets.length, canary.sockets.length]).toEqual([0, 0]);
  });

  test.each([301, 302, 303, 307, 308])(
    'a redirect with %i to an internal address is an answer and is not followed',
    async (status) => {
      shop.answer = (_request, response) =>
        response.writeHead(status, { location: `http://127.0.0.1:${canary.port}/`, refresh: '0' }).end();
      const outbound = open({ isAllowed, resolver: () => Promise.resolve([STAND_IN]) });
      expect(await outbound.post(`http://shop.example:${shop.port}/`, REQUEST)).toMatchObject({ status });
      expect([shop.requests.length, canary.sockets.length]).toEqual([1, 0]);
    },
  );

  test('a proxy in the environment is not used', async () => {
    const names = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
    const before = names.map((name) => process.env[name]);
    for (const name of names) process.env[name] = name.startsWith('NODE') ? '1' : `http://127.0.0.1:${canary.port}`;
    try {
      const outbound = open({ isAllowed, resolver: () => Promise.resolve([STAND_IN]) });
      expect(await outbound.post(`http://shop.example:${shop.port}/`, REQUEST)).toMatchObject({ status: 200 });
    } finally {
      for (const [position, name] of names.entries()) {
        if (before[position] === undefined) delete process.env[name];
        else process.env[name] = before[position];
      }
    }
    expect(canary.sockets).toHaveLength(0);
  });
});

describe('name servers', () => {
  test('a name without addresses and a server that does not reply are failures of the name', async () => {
    const names = await serveNames(({ name }) => (name === 'silent.example' ? undefined : []));
    const outbound = open({ resolver: createDnsResolver({ timeoutMs: 100, tries: 1, servers: [names.address] }) });
    expect(await outbound.post('http://empty.example/', REQUEST)).toMatchObject({ error: 'dns' });
    expect(await outbound.post('http://silent.example/', REQUEST)).toMatchObject({ error: 'dns' });
  });

  test('a server that does not reply costs no more than the time of the attempt', async () => {
    const names = await serveNames(() => undefined);
    const outbound = open({ resolver: createDnsResolver({ timeoutMs: 30_000, tries: 1, servers: [names.address] }) });
    const result = await outbound.post('http://silent.example/', { ...REQUEST, timeoutMs: 100 });
    expect(result).toMatchObject({ error: 'timeout' });
  });

  test('a name with too many addresses is a failure of the name', async () => {
    const many = Array.from({ length: 65 }, (_none, position) => `8.8.8.${position}`);
    const outbound = open({ resolver: () => Promise.resolve(many) });
    expect(await outbound.post('http://shop.example/', REQUEST)).toMatchObject({ error: 'dns' });
  });
});
