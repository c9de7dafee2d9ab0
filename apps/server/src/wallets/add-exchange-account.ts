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
    /** Allows base URLs other than the platform's own; development only. */
    anyBaseUrl: boolean;
  };

type AddExchangeInput = {
  store: StoreRef;
  network: string;
  /** The base URL of the key; undefined for the platform's usual one. */
  baseUrl?: string | undefined;
  credentials: ExchangeCredentials;
  /** An operator's order to apply it immediately, with the reason for the audit. */
  now?: { reason: string } | undefined;
};

type AddedExchangeAccount = {
  account: string;
  replaced: boolean;
  boundToAddresses: boolean;
  isSubAccount: boolean;
  keyExpiresAt: Date | null;
  waiting?: AnnouncedMethod;
};

/** Only the platform's own base URLs are accepted: any other server would receive signed requests. */
function chooseBaseUrl({ platform, id }: ExchangeNetwork, asked: string | undefined, anyBaseUrl: boolean): string {
  const [usual] = platform.baseUrls;
  const baseUrl = asked ?? usual;
  if (baseUrl === undefined || (!anyBaseUrl && !platform.baseUrls.includes(baseUrl)))
    throw new Refusal('EXCHANGE_ADDRESS_UNKNOWN', { network: id, known: platform.baseUrls });
  return baseUrl;
}

const TRIED_MS = 60_000;

/** Why a platform refuses a statement for a key that it describes as able to read. */
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
 * Adds an exchange account, immediately or after the merchant's delay. The account's id is read with the key, never
 * typed, and belongs to one merchant. The key must be read-only and able to read the statement. A new key of an account
 * in use replaces the old one immediately. A removed account is read on from its oldest open or quarantined amount.
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
  // Ids of two platforms may coincide, so each platform is its own address family.
  const place = { network: platform.id, family: platform.id, address: account };
  const requested = await requestMethodChange(context, actor, { store, place, exchange, now });
  const shown = { account, boundToAddresses, isSubAccount, keyExpiresAt };
  if (requested.isPlaced) return { ...shown, replaced: requested.replaced };
  return { ...shown, replaced: false, waiting: { change: requested.change, effectiveAt: requested.effectiveAt } };
}
