import { recordAudit } from '../audit/record-audit.ts';
import type { StoreRef } from '../db/store-ref.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { ExchangeNetwork } from '../networks/exchange-networks.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { sealSecret } from '../secrets/seal-secret.ts';
import type { ExchangeCredentials } from '../platforms/statement-source.ts';
import { CHECK_EVERY_MS, exchangeKeyPurpose, findKeyFault, keyHint } from './exchange-account.ts';
import { demandHeld, saveExchangeAccount } from './exchange-account-sql.ts';
import type { ExchangeContext } from './statement-sources.ts';
import { refuseUnanswered, requirePlatform, requireStatementSource } from './statement-sources.ts';
import { claimAddress, insertWallet } from './wallet-sql.ts';

type AddExchangeContext = ExchangeContext & {
  ring: KeyRing;
  /** Whether a key may also be used at base URLs that are not the platform's own; for development only. */
  anyBaseUrl: boolean;
};

type AddExchangeInput = {
  store: StoreRef;
  network: string;
  /** The base URL where the key works; undefined for the platform's usual one. */
  baseUrl?: string | undefined;
  credentials: ExchangeCredentials;
};

type AddedExchangeAccount = {
  account: string;
  /** Whether the key replaced another key of the same exchange account. */
  replaced: boolean;
  boundToAddresses: boolean;
  isSubAccount: boolean;
  keyExpiresAt: Date | null;
};

/**
 * Chooses the base URL where a key is used. Only base URLs of the key's own platform are accepted: a server at any
 * other URL would receive signed requests.
 */
function chooseBaseUrl({ platform, id }: ExchangeNetwork, asked: string | undefined, anyBaseUrl: boolean): string {
  const [usual] = platform.baseUrls;
  const baseUrl = asked ?? usual;
  if (baseUrl === undefined || (!anyBaseUrl && !platform.baseUrls.includes(baseUrl)))
    throw new Refusal('EXCHANGE_ADDRESS_UNKNOWN', { network: id, known: platform.baseUrls });
  return baseUrl;
}

/**
 * Lets a store receive in an exchange account. The account's id is read with the key, never typed, and belongs to one
 * merchant. A key that may do more than read is refused. A new key of a known exchange account replaces the old key at
 * once. An exchange account that was removed is read on from the oldest amount there that is open or quarantined.
 */
export async function addExchangeAccount(
  { database, clock, networks, statements, ring, anyBaseUrl }: AddExchangeContext,
  actor: Actor,
  { store, credentials, ...input }: AddExchangeInput,
): Promise<AddedExchangeAccount> {
  if (!store.live) throw new Refusal('TEST_STORE_ON_LIVE_NETWORK', { store: store.merchantId });
  const platform = requirePlatform(networks, input.network);
  if (platform.platform.hasPassphrase && !credentials.passphrase)
    throw new Refusal('EXCHANGE_PASSPHRASE_NEEDED', { network: platform.id });
  const baseUrl = chooseBaseUrl(platform, input.baseUrl, anyBaseUrl);
  const source = requireStatementSource(statements, platform.id);
  const facts = await refuseUnanswered(platform.id, () => source.readKey({ baseUrl, credentials }));
  const nowMs = clock.nowMs();
  const at = new Date(nowMs);
  const fault = findKeyFault(facts, facts.account, nowMs);
  if (fault !== undefined) throw new Refusal('EXCHANGE_KEY_REFUSED', { network: platform.id, fault });
  const name = { network: platform.id, account: facts.account };
  const wallet = {
    storeId: store.id,
    merchantAccountId: store.merchantAccountId,
    network: platform.id,
    // Ids of exchange accounts at two platforms may be the same number, so each platform is a family of addresses of
    // its own.
    family: platform.id,
    address: facts.account,
    at,
  };
  const { boundToAddresses, isSubAccount } = facts;
  const keyExpiresAt = facts.expiresAtMs === undefined ? null : new Date(facts.expiresAtMs);
  const shown = { baseUrl, keyHint: keyHint(credentials.apiKey), boundToAddresses, isSubAccount, keyExpiresAt };
  return inTransaction(database, async (tx) => {
    if ((await claimAddress(tx, wallet)) !== store.merchantAccountId)
      throw new Refusal('ADDRESS_OF_ANOTHER_MERCHANT', { address: facts.account });
    const secretId = await sealSecret(tx, ring, exchangeKeyPurpose(name), JSON.stringify(credentials));
    const { merchantAccountId } = store;
    const checkDueAt = new Date(nowMs + CHECK_EVERY_MS);
    const { known } = await saveExchangeAccount(tx, { ...name, ...shown, merchantAccountId, secretId, at, checkDueAt });
    await insertWallet(tx, wallet);
    if (known) await demandHeld(tx, name, at);
    await recordAudit(tx, clock, actor, {
      action: known ? 'exchange.replace-key' : 'exchange.add',
      subject: `store:${store.id}`,
      details: { after: { ...name, ...shown } },
    });
    return { account: facts.account, replaced: known, boundToAddresses, isSubAccount, keyExpiresAt };
  });
}
