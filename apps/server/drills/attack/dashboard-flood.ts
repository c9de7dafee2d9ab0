import type { Act, Beside } from './beside.ts';
import { measureBeside, ROUNDS, shootFrom } from './beside.ts';
import type { RigPerson } from '../../rig/people/make-person.ts';
import type { Browser } from '../../rig/people/dashboard-site.ts';
import { makePerson } from '../../rig/people/make-person.ts';
import type { FloodMember, FloodSite } from './flood-site.ts';
import { browserAt, joinTeam, pageHeaders, sendAs } from './flood-site.ts';
import type { Shot } from './shots.ts';

/** One signed-in user reads and changes passwords as often as possible, from one address and from many. */

const PASSWORDS_AT_ONCE = 400;
const MANY = Array.from({ length: 500 }, (_unused, index) => `10.50.${index >> 5}.${index & 31}`);

/** How often each person signs in: fewer times than the server allows in an hour. */
const SIGN_INS_OF_ONE = 50;

/** Somebody who signs in again and again: another person after some times. */
export function signingIn(site: FloodSite, browserOf: (time: number) => Browser): Act {
  let times = 0;
  let person: Promise<RigPerson> | undefined;
  return async () => {
    if (times % SIGN_INS_OF_ONE === 0 || !person) person = makePerson(site);
    times += 1;
    const { mail, password } = await person;
    return (await browserOf(times).send('POST', '/session', { mail, password })).status === 200;
  };
}

/** What the neighbour does: looks at the first page, and signs in with a browser that the server knows. */
export function actsOfNeighbour(site: FloodSite): Act[] {
  const { account } = site.neighbour;
  const known = browserAt(site, '192.0.2.88');
  const home = async () => (await sendAs(site.neighbour, 'GET', `/accounts/${account}/home`)) === 200;
  return [home, signingIn(site, () => known)];
}

const homeOf = (site: FloodSite, { person, account }: FloodMember): Shot => ({
  method: 'GET',
  path: `/api/dashboard/accounts/${account}/home`,
  headers: pageHeaders(site, person.browser.cookie),
});

const changeOf = (site: FloodSite, { person }: FloodMember): Shot => ({
  method: 'POST',
  path: '/api/dashboard/me/password',
  headers: pageHeaders(site, person.browser.cookie),
  body: JSON.stringify({ password: 'another word of the rig %N' }),
});

export async function attackDashboard(site: FloodSite, { seconds, atOnce }: { seconds: number; atOnce: number }) {
  const acts = actsOfNeighbour(site);
  const { attacker } = site;
  // Another user in each round: one user sets few passwords an hour.
  const changers: FloodMember[] = [];
  while (changers.length < ROUNDS) changers.push(await joinTeam(site, attacker.store, 'viewer'));
  const floods: [string, (round: number) => Shot, number, readonly string[]][] = [
    ['one address', () => homeOf(site, attacker), atOnce, ['10.49.0.1']],
    ['many addresses', () => homeOf(site, attacker), atOnce, MANY],
    ['passwords', (round) => changeOf(site, changers[round] ?? attacker), PASSWORDS_AT_ONCE, MANY],
  ];
  const parts: Beside[] = [];
  for (const [name, shot, most, addresses] of floods) {
    const flood = (round: number) =>
      shootFrom({ url: site.server.url, shots: [shot(round)], addresses, atOnce: most, seconds });
    parts.push(await measureBeside({ part: `dashboard_flood: ${name}`, acts, flood }, seconds));
  }
  return parts;
}
