import type { StoreRef } from '../db/store-ref.ts';
import type { Tx } from '../db/transaction.ts';
import type { Operator, Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import type { ExchangeNetwork } from '../networks/exchange-networks.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { sealSecret } from '../secrets/seal-secret.ts';
import type { ExchangeCredentials, ExchangeKey, StatementSource } from '../platforms/statement-source.ts';
import { SourceError } from '../sources/chain-source.ts';
import { exchangeKeyPurpose, findKeyFault, keyHint } from './exchange-account.ts';
import type { AnnouncedMethod } from './request-method-change.ts';
import { requestMethodChange } from './request-method-change.ts';
import type { ExchangeContext } from './statement-sources.ts';
import { refuseUnanswered, requirePlatform, requireStatementSource } from './statement-sources.ts';

type AddExchangeContext = ExchangeContext &
  MailContext & {
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
  /** An operator's order to add it at once, with the reason for the audit. */
  now?: { reason: string } | undefined;
};

type AddedExchangeAccount = {
  account: string;
  /** Whether the key replaced another key of the same exchange account. */
  replaced: boolean;
  boundToAddresses: boolean;
  isSubAccount: boolean;
  keyExpiresAt: Date | null;
  /** The change that waits; undefined when the store receives there already. */
  waiting?: AnnouncedMethod;
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

/** The range of a statement that is read to try a key. */
const TRIED_MS = 60_000;

/** Why a platform refuses to show the statement of a key that it describes as able to read; undefined when it does not. */
async function findReadFault(source: StatementSource, key: ExchangeKey): Promise<string | undefined> {
  const nowMs = await source.readTime(key.baseUrl);
  try {
    await source.readStatement(key, nowMs - TRIED_MS, nowMs);
    return undefined;
  } catch (cause) {
    if (cause instanceof SourceError && cause.kind === 'unsupported') return `refused: ${cause.message}`;
    throw cause;
  }
}

/**
 * Lets a store receive in an exchange account, at once or after the merchant's delay. The account's id is read with the
 * key, never typed, and belongs to one merchant. A key that may do more than read is refused, and so is one with which
 * the statement cannot be read. A new key of the exchange account where
 * the store receives already replaces the old key at once. An exchange account that was removed is read on from the oldest amount there that is open or quarantined.
 */
export async function addExchangeAccount(
  context: AddExchangeContext,
  actor: Operator | Person,
  { store, credentials, now, ...input }: AddExchangeInput,
): Promise<AddedExchangeAccount> {
  const { clock, networks, statements, ring, anyBaseUrl } = context;
  if (!store.live) throw new Refusal('TEST_STORE_ON_LIVE_NETWORK', { store: store.merchantId });
  const platform = requirePlatform(networks, input.network);
  if (platform.platform.hasPassphrase && !credentials.passphrase)
    throw new Refusal('EXCHANGE_PASSPHRASE_NEEDED', { network: platform.id });
  const baseUrl = chooseBaseUrl(platform, input.baseUrl, anyBaseUrl);
  const source = requireStatementSource(statements, platform.id);
  const key = { baseUrl, credentials };
  const facts = await refuseUnanswered(platform.id, () => source.readKey(key));
  const fault =
    findKeyFault(facts, facts.account, clock.nowMs()) ??
    (await refuseUnanswered(platform.id, () => findReadFault(source, key)));
  if (fault !== undefined) throw new Refusal('EXCHANGE_KEY_REFUSED', { network: platform.id, fault });
  const { account, boundToAddresses, isSubAccount } = facts;
  const keyExpiresAt = facts.expiresAtMs === undefined ? null : new Date(facts.expiresAtMs);
  const purpose = exchangeKeyPurpose({ network: platform.id, account });
  const exchange = {
    baseUrl,
    keyHint: keyHint(credentials.apiKey),
    boundToAddresses,
    isSubAccount,
    keyExpiresAt,
    seal: (tx: Tx) => sealSecret(tx, ring, purpose, JSON.stringify(credentials)),
  };
  // Ids of exchange accounts at two platforms may be the same number, so each platform is a family of addresses of its
  // own.
  const place = { network: platform.id, family: platform.id, address: account };
  const requested = await requestMethodChange(context, actor, { store, place, exchange, now });
  const shown = { account, boundToAddresses, isSubAccount, keyExpiresAt };
  if (requested.isPlaced) return { ...shown, replaced: requested.replaced };
  return { ...shown, replaced: false, waiting: { change: requested.change, effectiveAt: requested.effectiveAt } };
}
