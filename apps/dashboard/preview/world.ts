import type { AppSite } from '../../server/rig/people/app-site.ts';
import { awaitMail, tokenIn } from '../../server/rig/people/mailed-site.ts';
import type { RigMember } from '../../server/rig/people/make-member.ts';
import { makeMember } from '../../server/rig/people/make-member.ts';
import type { RigPerson } from '../../server/rig/people/make-person.ts';
import { signInByPassword, signInWithApp } from '../../server/rig/people/make-person.ts';
import type { TradeStore } from '../../server/rig/people/trade-rows.ts';
import { openTradeStore } from '../../server/rig/people/trade-rows.ts';
import { seedDays } from '../../server/rig/stores/seed-days.ts';
import type { Trade } from './invoice-shots.ts';
import { prepareActivity } from './activity-rows.ts';
import { prepareInvoices } from './invoice-shots.ts';
import { prepareMoney } from './money-shots.ts';
import type { Who } from './shot.ts';
import type { Takeovers } from './undo-shots.ts';
import { prepareTakeovers } from './undo-shots.ts';
import type { WebhookRows } from './webhooks-shots.ts';
import { prepareWebhooks } from './webhooks-shots.ts';

/** A merchant in the middle of their work, with stores, people, money and trouble of every kind; and a new one. */

export type Stores = Record<'coffee' | 'wholesale' | 'bean' | 'long' | 'bare' | 'test', string>;

export type World = {
  site: AppSite;
  /** `/m/` and the merchant's code. */
  base: string;
  /** The same of a merchant who has nothing yet. */
  newBase: string;
  /** The same of a merchant that requires two-factor authentication. */
  strictBase: string;
  stores: Stores;
  trade: Trade;
  hooks: WebhookRows;
  /** The token of an invitation that waits. */
  invitation: string;
  /** Links that undo and stop. */
  takeovers: Takeovers;
  cookies: Record<Who, string>;
};

const LONG_NAME = 'Northwind Coffee Roasters and Tea Merchants of the Old Harbour';
const TRON_ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const INVITED = 'sam@northwind.example';
const DAYS = 75;

async function rename({ database }: AppSite, person: RigPerson, name: string, mail: string): Promise<void> {
  await database.pool.query('update people set name = $2, mail_normal = $3, mail_shown = $3 where code = $1', [
    person.code,
    name,
    mail,
  ]);
  person.mail = mail;
}

/** A merchant that requires two-factor authentication: its owner, and a member who has not set it up. */
async function openStrict(site: AppSite): Promise<{ strict: RigMember; unready: RigPerson }> {
  const strict = await makeMember(site, 'owner');
  const unready = (await makeMember(site, 'developer', strict)).person;
  await rename(site, strict.person, 'Elif Kaya', 'elif@harbour.example');
  await rename(site, unready, 'Noah Brandt', 'noah@harbour.example');
  await signInWithApp(strict.person);
  await site.database.pool.query('update merchants set name = $2, two_factor_required = true where id = $1', [
    strict.merchantAccountId,
    'Harbour Tea',
  ]);
  return { strict, unready };
}

type Traded = Record<'store' | 'shop' | 'test', TradeStore>;

async function openStores(site: AppSite): Promise<{ stores: Stores; traded: Traded }> {
  const { owner, account } = site;
  const open = async (name: string, mode: 'live' | 'test') => {
    const { body } = await owner.browser.send('POST', `/accounts/${account}/stores`, { name, mode });
    return String(body.data?.['merchant_id']);
  };
  const traded = {
    store: await openTradeStore(site, 'Coffee Roasters'),
    shop: await openTradeStore(site, 'Wholesale'),
    test: await openTradeStore(site, 'Test shop', 'test'),
  };
  const stores = {
    coffee: traded.store.merchantId,
    wholesale: traded.shop.merchantId,
    bean: await open('Bean Club', 'live'),
    long: await open(LONG_NAME, 'live'),
    bare: await open('Pop-up at the fair', 'live'),
    test: traded.test.merchantId,
  };
  return { stores, traded };
}

/** The merchant's members. The admin's last step-up has expired. */
type People = Record<Exclude<Who, 'unready' | 'strict'>, RigPerson | undefined> & { newMerchant: RigMember };

async function makePeople(site: AppSite): Promise<People> {
  const { rows } = await site.database.pool.query<{ id: bigint }>('select id from merchants where code = $1', [
    site.account,
  ]);
  const here = { account: site.account, merchantAccountId: rows[0]?.id ?? 0n };
  const admin = (await makeMember(site, 'admin', here)).person;
  const developer = (await makeMember(site, 'developer', here)).person;
  const viewer = (await makeMember(site, 'viewer', here)).person;
  const newMerchant = await makeMember(site, 'owner');
  await signInByPassword(admin);
  await rename(site, admin, 'Tomás Oliveira', 'tomas@northwind.example');
  await rename(site, developer, 'Priya Raman', 'priya@northwind.example');
  await rename(site, viewer, 'Jonas Weber', 'jonas@northwind.example');
  await rename(site, newMerchant.person, 'Amira Haddad', 'amira@freshgoods.example');
  await site.database.pool.query('update merchants set name = $2 where id = $1', [
    newMerchant.merchantAccountId,
    'Fresh Goods',
  ]);
  return {
    owner: site.owner,
    admin,
    developer,
    viewer,
    newcomer: newMerchant.person,
    nobody: undefined,
    newMerchant,
  };
}

export async function prepareWorld(site: AppSite): Promise<World> {
  const { owner, account } = site;
  const send = (method: string, path: string, body: unknown) =>
    owner.browser.send(method, `/accounts/${account}${path}`, body);
  const { newMerchant, ...made } = await makePeople(site);
  const { strict, unready } = await openStrict(site);
  const people = { ...made, unready, strict: strict.person };
  await send('POST', '/team/invitations', { mail: INVITED, role: 'developer' });
  const { stores, traded } = await openStores(site);
  await seedDays(site.database.pool, stores.coffee, { days: DAYS });
  await prepareMoney(site, stores);
  const hooks = await prepareWebhooks(site, traded.shop);
  const trade = await prepareInvoices(site, traded);
  await signInWithApp(owner);
  await rename(site, owner, 'Maren Lindqvist', 'maren@northwind.example');
  await send('POST', `/stores/${stores.coffee}/method-changes`, { network: 'TRC20', address: TRON_ADDRESS });
  await prepareActivity(site);
  const cookieOf = (who: Who) => people[who]?.browser.cookie ?? '';
  return {
    site,
    base: `/m/${account}`,
    newBase: `/m/${newMerchant.account}`,
    strictBase: `/m/${strict.account}`,
    stores,
    trade,
    hooks,
    invitation: tokenIn(await awaitMail(site, INVITED, /./)),
    takeovers: await prepareTakeovers(site),
    cookies: {
      owner: cookieOf('owner'),
      admin: cookieOf('admin'),
      developer: cookieOf('developer'),
      viewer: cookieOf('viewer'),
      newcomer: cookieOf('newcomer'),
      unready: cookieOf('unready'),
      strict: cookieOf('strict'),
      nobody: '',
    },
  };
}
