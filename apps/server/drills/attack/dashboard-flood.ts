import type { Act, Beside } from './beside.ts';
import { measureBeside, ROUNDS, shootFrom } from './beside.ts';
import type { FloodMember, FloodSite } from './flood-site.ts';
import { browserAt, joinTeam, pageHeaders, sendAs } from './flood-site.ts';
import type { Shot } from './shots.ts';

/** One signed-in user reads and changes passwords as often as possible, from one address and from many. */

const PASSWORDS_AT_ONCE = 400;
const MANY = Array.from({ length: 500 }, (_unused, index) => `10.50.${index >> 5}.${index & 31}`);

/** What the neighbour does: looks at the first page, and signs in with a browser that the server knows. */
export async function actsOfNeighbour(site: FloodSite): Promise<Act[]> {
  const { person, account } = site.neighbour;
  const { mail, password } = person;
  const known = browserAt(site, '192.0.2.88');
  const signIn: Act = async () => (await known.send('POST', '/session', { mail, password })).status === 200;
  if (!(await signIn())) throw new Error('The neighbour cannot sign in.');
  return [async () => (await sendAs(site.neighbour, 'GET', `/accounts/${account}/home`)) === 200, signIn];
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
  const acts = await actsOfNeighbour(site);
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
