import type { AppSite } from '../../server/rig/people/app-site.ts';

/** Sign-ins and security changes of people who use real browsers. */

const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/26.0 Safari/605.1.15';
const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/26.0 Mobile/15E148 Safari/604.1';
const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/142.0.0.0 Safari/537.36';

const ROWS = [
  ['sign-in', MAC, '203.0.113.24', 2],
  ['step-up', MAC, '203.0.113.24', 1],
  ['sign-in-refused', WINDOWS, '198.51.100.7', 190],
  ['sign-in', PHONE, '2001:db8:85a3:8d3:1319:8a2e:370:7348', 300],
  ['passkey-added', PHONE, '2001:db8:85a3:8d3:1319:8a2e:370:7348', 290],
  ['factor-refused', WINDOWS, '198.51.100.7', 1_500],
  ['recovery-code-used', MAC, '203.0.113.24', 4_000],
] as const;

/** Records them for members of the site's merchant, who joined long ago. */
export async function prepareActivity({ database, account }: AppSite): Promise<void> {
  const { pool } = database;
  await pool.query(
    `update memberships set since = since - interval '30 days'
     where merchant_account_id = (select id from merchants where code = $1) and role in ('owner', 'admin')`,
    [account],
  );
  for (const [kind, agent, address, minutes] of ROWS)
    await pool.query(
      `insert into security_events (at, person_id, kind, address, agent)
       select now() - make_interval(mins => $4 + m.person_id::integer % 7), m.person_id, $1, $3, $2
       from memberships m join merchants a on a.id = m.merchant_account_id
       where a.code = $5 and m.role in ('owner', 'admin')`,
      [kind, agent, address, minutes, account],
    );
}
