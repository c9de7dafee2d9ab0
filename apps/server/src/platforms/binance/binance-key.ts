import { z } from 'zod';
import { parseAnswer } from '../exchange/ask-platform.ts';
import type { KeyFacts } from '../statement-source.ts';

const restrictionsSchema = z.looseObject({ enableReading: z.boolean(), ipRestrict: z.boolean() });
const accountSchema = z.object({ uid: z.union([z.string().min(1), z.int().nonnegative().transform(String)]) });

/** Fields that grant only reading. All others must be exactly `false`: new ones may mean anything. */
const HARMLESS = new Set([
  'ipRestrict',
  'createTime',
  'enableReading',
  'enableFixReadOnly',
  // Only the end of a right to trade; the right itself has its own field.
  'tradingAuthorityExpirationTime',
  // Tags keys made while the account had a portfolio margin, also read-only ones; what a key may trade there has its
  // own fields.
  'enablePortfolioMarginTrading',
]);

/**
 * Decodes the answers of `apiRestrictions` and `account`:
 * https://developers.binance.com/docs/wallet/account/api-key-permission
 */
export function decodeKeyFacts(restrictionsAnswer: unknown, accountAnswer: unknown): KeyFacts {
  const restrictions = parseAnswer(restrictionsSchema, restrictionsAnswer, 'list of rights');
  const { uid } = parseAnswer(accountSchema, accountAnswer, 'account');
  return {
    account: uid,
    canRead: restrictions.enableReading,
    refusedRights: Object.entries(restrictions)
      .filter(([name, value]) => !HARMLESS.has(name) && value !== false)
      .map(([name]) => name)
      .sort(),
    boundToAddresses: restrictions.ipRestrict,
    // No documented answer shows whether a key belongs to a sub-account. The account id is read with the key, so a
    // payer always sees the account that is read.
    isSubAccount: false,
  };
}
