import pg from 'pg';
import { Refusal } from '../lib/refusal.ts';
import { retryRaces } from './apply-roles.ts';
import { isDatabaseError } from './database.ts';
import { OWNER, PROCESS_ROLES, roleName } from './role.ts';
import { scramVerifier } from './scram-verifier.ts';

const ROLES = new Set<string>([OWNER, ...PROCESS_ROLES.map(roleName)]);
const WRONG_PASSWORD = '28P01';
/** The role may not log in, or this host may not connect as it. */
const MAY_NOT_CONNECT = '28000';
const CONNECT_TIMEOUT_MS = 5_000;
/** Other characters would have to be prepared as both sides of SCRAM do, which clients differ in. */
const PRINTABLE = /^[\x21-\x7e]+$/;

type Login = { role: string; password: string };

/** Decodes a part of an address; empty when it cannot be decoded. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** Reads role and password of an address; a fault never repeats the address. */
function readLogin(address: string): Login {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  // What stands after the question mark wins, and the last of several, as it does when a process connects.
  const role = url?.searchParams.getAll('user').at(-1) || decode(url?.username ?? '');
  const password = url?.searchParams.getAll('password').at(-1) || decode(url?.password ?? '');
  if (!ROLES.has(role)) throw new Refusal('LOGIN_UNFIT', { fault: 'is not the address of a role of this service' });
  if (!PRINTABLE.test(password))
    throw new Refusal('LOGIN_UNFIT', { fault: `of ${role} has no password of printable ASCII characters` });
  return { role, password };
}

/** Whether the server of this address lets the role in, and as that role. */
async function canLogIn(adminUrl: string, { role, password }: Login): Promise<boolean> {
  const url = new URL(adminUrl);
  // Role and password are given as parameters, because an address without a host has no place for them before it.
  url.searchParams.set('user', role);
  url.searchParams.set('password', password);
  const client = new pg.Client({ connectionString: url.href, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ user: string }>('select session_user::text as user');
    return rows[0]?.user === role;
  } catch (cause) {
    if (isDatabaseError(cause, WRONG_PASSWORD) || isDatabaseError(cause, MAY_NOT_CONNECT)) return false;
    throw cause;
  } finally {
    await client.end();
  }
}

/** Finds the roles that cannot log in with the passwords of these addresses. */
export async function findRefusedLogins(adminUrl: string, addresses: readonly string[]): Promise<string[]> {
  const refused: string[] = [];
  for (const login of addresses.map(readLogin)) if (!(await canLogIn(adminUrl, login))) refused.push(login.role);
  return refused;
}

/**
 * Lets roles log in with the passwords of the addresses that processes connect with. A role that already can is left as
 * it is, because a pooler may hold the verifier of its password. Returns the roles whose password was set.
 */
export async function allowLogins(
  client: pg.ClientBase,
  adminUrl: string,
  addresses: readonly string[],
): Promise<string[]> {
  const changed: string[] = [];
  for (const login of addresses.map(readLogin)) {
    if (await canLogIn(adminUrl, login)) continue;
    const verifier = pg.escapeLiteral(scramVerifier(login.password));
    await retryRaces(client, async () => {
      await client.query(`alter role ${login.role} login password ${verifier}`);
    });
    changed.push(login.role);
    if (!(await canLogIn(adminUrl, login))) throw new Refusal('LOGIN_REFUSED', { role: login.role });
  }
  return changed;
}
