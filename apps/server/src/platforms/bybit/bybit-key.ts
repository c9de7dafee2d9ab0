import { z } from 'zod';
import { parseAnswer } from '../exchange/ask-platform.ts';
import type { KeyFacts } from '../statement-source.ts';

const keySchema = z.object({
  result: z.object({
    userID: z.int().positive(),
    readOnly: z.int(),
    permissions: z.record(z.string(), z.array(z.string())),
    ips: z.array(z.string()),
    expiredAt: z.string().optional(),
    isMaster: z.boolean(),
  }),
});

const READ_ONLY = 1;
/** Means all IP addresses in the list of a key's addresses. */
const ANY_ADDRESS = '*';

/**
 * Permissions that a read-only key may have, as in the documentation's example: for such a key they limit reading.
 * Withdrawal is left out, because it is undocumented whether a read-only key may have it.
 */
const READABLE: Readonly<Record<string, readonly string[]>> = {
  ContractTrade: ['Order', 'Position'],
  Spot: ['SpotTrade'],
  Wallet: ['AccountTransfer', 'SubMemberTransfer', 'SubMemberTransferList'],
  Options: ['OptionsTrade'],
  Derivatives: ['DerivativesTrade'],
  Exchange: ['ExchangeHistory'],
  Earn: ['Earn'],
  FiatP2P: ['FiatP2POrder', 'Advertising'],
  FiatBitPay: ['FaitPayOrder'],
  FiatBybitPay: ['FaitPayOrder'],
  FiatConvertBroker: ['FiatConvertBrokerOrder'],
  BitCard: ['BitCard'],
  ByXPost: ['ByXPost'],
};

function refusedRightsOf(readOnly: number, permissions: Readonly<Record<string, readonly string[]>>): string[] {
  const granted = Object.entries(permissions).flatMap(([group, names]) => names.map((name) => ({ group, name })));
  const refused = granted.filter(
    ({ group, name }) =>
      readOnly !== READ_ONLY || !Object.hasOwn(READABLE, group) || READABLE[group]?.includes(name) !== true,
  );
  const names = refused.map(({ group, name }) => `${group}.${name}`);
  return readOnly === READ_ONLY ? names : [`readOnly=${readOnly}`, ...names];
}

function endOf(expiredAt: string | undefined): { expiresAtMs?: number } {
  const expiresAtMs = Date.parse(expiredAt ?? '');
  return expiresAtMs > 0 ? { expiresAtMs } : {};
}

/**
 * Decodes `GET /v5/user/query-api`: bybit-exchange.github.io/docs/v5/user/apikey-info. It is undocumented which
 * permission reading needs, so that is tested elsewhere.
 */
export function decodeBybitKey(raw: unknown): Omit<KeyFacts, 'canRead'> {
  const { userID, readOnly, permissions, ips, expiredAt, isMaster } = parseAnswer(
    keySchema,
    raw,
    'description of the key',
  ).result;
  return {
    account: String(userID),
    refusedRights: refusedRightsOf(readOnly, permissions),
    ...endOf(expiredAt),
    boundToAddresses: ips.length > 0 && !ips.includes(ANY_ADDRESS),
    isSubAccount: !isMaster,
  };
}
