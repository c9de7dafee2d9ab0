import { openSecureCaller } from '../../rig/requests/secure-caller.ts';
import type { SecureCaller } from '../../rig/requests/secure-caller.ts';
import type { Merchant } from '../../rig/requests/steady-traffic.ts';
import { TLS_HOSTS } from '../../rig/processes/caddy.ts';
import type { Closers } from '../../rig/site/site-processes.ts';
import { requireSuccess, runOfVersion } from './run-of-version.ts';
import type { Site } from './site.ts';
import { NETWORK } from './site.ts';
import type { Version } from './versions.ts';

/** A merchant of the installation, opened by the earlier version's command line. */

type Callers = { api: SecureCaller; checkout: SecureCaller; dashboard: SecureCaller };
export type Shop = Merchant & { dashboard: SecureCaller; number: string; callbackUrl: string };

const RECEIVING = '0x8894E0a0c962CB723c1976a4421c95949bE2D4E3';
const SHOP = 'shop';
/** Who ask for a new password again and again: each can have five emails an hour. */
export const PEOPLE = ['ada@acme.test', 'bob@acme.test'];
const BALANCE_USD = '100000';
/** More than any traffic of a drill. */
const UNLIMITED = '1000000';

/** Runs a command of a version and returns its answer. */
export async function administer(site: Site, version: Version, ...words: string[]): Promise<unknown> {
  const program = { folder: version.folder, program: 'cli', words: [...words, '--json'] } as const;
  const ran = await runOfVersion(program, site.settings.admin);
  return JSON.parse(requireSuccess(ran, `${words.join(' ')} of the ${version.name} version`));
}

function openCallers({ caddy }: Site, closers: Closers): Callers {
  const open = (host: string) => {
    const caller = openSecureCaller(caddy, host);
    closers.push(() => caller.close());
    return caller;
  };
  return { api: open(TLS_HOSTS.api), checkout: open(TLS_HOSTS.checkout), dashboard: open(TLS_HOSTS.dashboard) };
}

export async function openShop(site: Site, version: Version, closers: Closers): Promise<Shop> {
  const run = (...words: string[]) => administer(site, version, ...words) as Promise<Record<string, string>>;
  const limits = ['create-burst', 'create-sustained', 'lookup-burst', 'lookup-sustained'];
  const rates = limits.flatMap((name) => [`--${name}`, UNLIMITED]);
  const [{ merchant = '' }] = await Promise.all([
    run('merchant', 'create', '--name', 'Acme'),
    run('keyring', 'init'),
    ...PEOPLE.map((mail) => run('person', 'create', '--mail', mail, '--name', 'Ada')),
    run('plan', 'create', '--code', 'standard', '--fee-rate', '0.5', ...rates),
  ]);
  const store = await run('store', 'create', '--merchant', merchant, '--name', 'Shop', '--plan', 'standard');
  const { merchant_id: merchantId = '', api_key: apiKey = '', webhook_secret: secret = '' } = store;
  await Promise.all([
    run('wallet', 'add', '--store', merchantId, '--network', NETWORK, '--address', RECEIVING),
    run('balance', 'credit', '--store', merchantId, '--usd', BALANCE_USD, '--note', 'first top-up'),
  ]);
  site.receiver.secrets.set(SHOP, secret);
  return {
    ...openCallers(site, closers),
    store: { merchantId, apiKey },
    number: merchant,
    callbackUrl: `${site.receiver.url}/${SHOP}`,
  };
}
