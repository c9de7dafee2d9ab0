import net from 'node:net';
import { connect } from 'node:tls';
import { LOOPBACK } from '../../rig/fakes/listen.ts';
import { TLS_HOSTS } from '../../rig/processes/caddy.ts';
import { sleep } from '../../src/lib/loop.ts';
import type { Act, Beside } from './beside.ts';
import { measureBeside } from './beside.ts';
import { callSecurely } from './call-securely.ts';
import type { FloodSite } from './flood-site.ts';
import { sendAs } from './flood-site.ts';
import { visitorHeaders } from './site.ts';

/** Thousands of requests in one chunk, on ten new connections a second, from one address: directly and through Caddy. */

const ATTACKER = '127.0.0.2';
const NEIGHBOUR = '127.0.0.3';
const PIPELINED = 2_000;
const EVERY_MS = 100;
const NOBODY = new AbortController().signal;

type Poured = { connections: number; answers: number; ended: number };

type Target = { port: number; host: string; ca?: string };

function open({ port, host, ca }: Target): net.Socket {
  const from = { port, host: LOOPBACK, localAddress: ATTACKER };
  return ca === undefined ? net.connect(from) : connect({ ...from, servername: host, ca, ALPNProtocols: ['http/1.1'] });
}

async function pour(target: Target, seconds: number): Promise<Poured> {
  const chunk = `GET /x HTTP/1.1\r\nHost: ${target.host}\r\n\r\n`.repeat(PIPELINED);
  const poured: Poured = { connections: 0, answers: 0, ended: 0 };
  const sockets: net.Socket[] = [];
  for (let time = 0; time < (seconds * 1_000) / EVERY_MS; time += 1) {
    const socket = open(target);
    sockets.push(socket);
    poured.connections += 1;
    socket.on('error', () => {}).on('close', () => (poured.ended += 1));
    socket.on('data', (bytes) => (poured.answers += bytes.toString('latin1').split('HTTP/1.1 ').length - 1));
    socket.write(chunk);
    await sleep(EVERY_MS, NOBODY);
  }
  for (const socket of sockets) socket.destroy();
  return poured;
}

const body = ({ neighbour: { store } }: FloodSite) =>
  JSON.stringify({ merchant_id: store.merchantId, amount: '10.00' });

function createDirectly(site: FloodSite): Act {
  const headers = { 'content-type': 'application/json', 'x-api-key': site.neighbour.store.apiKey };
  return async () => {
    const asked = { method: 'POST', headers: { ...headers, ...visitorHeaders('192.0.2.77') }, body: body(site) };
    const response = await fetch(`${site.api.url}/payment/crypto`, asked);
    await response.arrayBuffer();
    return response.ok;
  };
}

function createThroughCaddy(site: FloodSite): Act {
  const headers = { 'content-type': 'application/json', 'x-api-key': site.neighbour.store.apiKey };
  const asked = { method: 'POST', path: '/payment/crypto', headers, body: body(site), from: NEIGHBOUR };
  return async () => (await callSecurely(site.caddy, TLS_HOSTS.api, asked)) === 200;
}

function homeThroughCaddy(site: FloodSite): Act {
  const { account, person } = site.neighbour;
  const headers = { cookie: person.browser.cookie, 'sec-fetch-site': 'same-origin' };
  const path = `/api/dashboard/accounts/${account}/home`;
  return async () => (await callSecurely(site.caddy, TLS_HOSTS.dashboard, { path, headers, from: NEIGHBOUR })) === 200;
}

const portOf = (url: string) => Number(new URL(url).port);

export async function attackByPipelines(site: FloodSite, seconds: number): Promise<Beside[]> {
  const { account } = site.neighbour;
  const home: Act = async () => (await sendAs(site.neighbour, 'GET', `/accounts/${account}/home`)) === 200;
  const { httpsPort: port, rootCertificate: ca } = site.caddy;
  const doors: [string, Act, Target][] = [
    ['API', createDirectly(site), { port: portOf(site.api.url), host: TLS_HOSTS.api }],
    ['dashboard', home, { port: portOf(site.server.url), host: TLS_HOSTS.dashboard }],
    ['API through Caddy', createThroughCaddy(site), { port, host: TLS_HOSTS.api, ca }],
    ['dashboard through Caddy', homeThroughCaddy(site), { port, host: TLS_HOSTS.dashboard, ca }],
  ];
  const parts: Beside[] = [];
  for (const [name, act, target] of doors) {
    const part = { part: `pipelined: ${name}`, acts: [act], flood: () => pour(target, seconds) };
    parts.push(await measureBeside(part, seconds));
  }
  return parts;
}
