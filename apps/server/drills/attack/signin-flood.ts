import { makePerson } from '../../rig/people/make-person.ts';
import type { Act, Beside } from './beside.ts';
import { measureBeside, shootFrom } from './beside.ts';
import { actsOfNeighbour } from './dashboard-flood.ts';
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
async function actOfNewcomer(site: FloodSite): Promise<Act> {
  const { mail, password } = await makePerson(site);
  let times = 0;
  return async () => {
    times += 1;
    const browser = browserAt(site, `172.${16 + (times & 15)}.${times >> 8}.${times & 255}`);
    return (await browser.send('POST', '/session', { mail, password })).status === 200;
  };
}

export async function attackSignIn(site: FloodSite, seconds: number): Promise<Beside[]> {
  const acts = [...(await actsOfNeighbour(site)), await actOfNewcomer(site)];
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
