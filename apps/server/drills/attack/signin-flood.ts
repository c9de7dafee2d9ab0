import type { Beside } from './beside.ts';
import { measureBeside, shootFrom } from './beside.ts';
import { actsOfNeighbour, signingIn } from './dashboard-flood.ts';
import type { FloodSite } from './flood-site.ts';
import { browserAt, pageHeaders } from './flood-site.ts';
import type { Shot } from './shots.ts';

/** Thousands of sign-ins of nobody and challenges for passkeys, from one address and from many. */

const AT_ONCE = 300;
/** An attacker's one address; each round has another one, because attempts are counted for a quarter of an hour. */
export const oneAddress = (round: number) => [`10.60.0.${round + 1}`];
/** Addresses of an attacker who has whole networks: each IPv6 /48 of a few has hundreds of /64s. */
const FRESH_NETWORKS = Array.from(
  { length: 2_000 },
  (_unused, index) => `2001:db8:${(index >> 9).toString(16)}:${index.toString(16)}::1`,
);

function signInShots(site: FloodSite): Shot[] {
  const headers = pageHeaders(site);
  const password = 'a guess of the rig';
  return [
    {
      method: 'POST',
      path: '/api/dashboard/session',
      headers,
      body: JSON.stringify({ mail: 'n%N@nobody.test', password }),
    },
    { method: 'POST', path: '/api/dashboard/session/passkey/options', headers, body: '{}' },
  ];
}

export const floodSignIns = (site: FloodSite, addresses: readonly string[], seconds: number) =>
  shootFrom({ url: site.server.url, shots: signInShots(site), addresses, atOnce: AT_ONCE, seconds });

/** Somebody who signs in with a browser that the server does not know, each time from elsewhere. */
const actOfNewcomer = (site: FloodSite) =>
  signingIn(site, (time) => browserAt(site, `172.${16 + (time & 15)}.${(time >> 8) & 255}.${time & 255}`));

export async function attackSignIn(site: FloodSite, seconds: number): Promise<Beside[]> {
  const acts = [...actsOfNeighbour(site), actOfNewcomer(site)];
  const floods: [string, (round: number) => readonly string[]][] = [
    ['one address', oneAddress],
    ['many addresses', () => FRESH_NETWORKS],
  ];
  const parts: Beside[] = [];
  for (const [name, addresses] of floods) {
    const part = {
      part: `signin_flood: ${name}`,
      acts,
      flood: (round: number) => floodSignIns(site, addresses(round), seconds),
    };
    parts.push(await measureBeside(part, seconds));
  }
  return parts;
}
