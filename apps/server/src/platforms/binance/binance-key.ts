import { z } from 'zod';
import { parseAnswer } from '../exchange/ask-platform.ts';
import type { KeyFacts } from '../statement-source.ts';

/** Decodes what Binance says about a key: https://developers.binance.com/docs/wallet/account/api-key-permission */

const restrictionsSchema = z.looseObject({ enableReading: z.boolean(), ipRestrict: z.boolean() });
const accountSchema = z.object({ uid: z.union([z.string().min(1), z.int().nonnegative().transform(String)]) });

/**
 * Fields of the answer that grant nothing but reading. Every other field counts as a right that a key must not have,
 * unless its value is exactly `false`: what a new field means by a number or a text is unknown.
 */
const HARMLESS = new Set([
  'ipRestrict',
  'createTime',
  'enableReading',
  'enableFixReadOnly',
  // `tradingAuthorityExpirationTime` only says until when a right to trade lasts; the right itself has a field of its
  // own.
  'tradingAuthorityExpirationTime',
  // A key that was made while the account had a portfolio margin is tagged so, like the read-only key in the example of
  // the documentation; what a key may trade there has fields of its own.
  'enablePortfolioMarginTrading',
]);

/** Decodes what a key may do, from the answers of `apiRestrictions` and `account`. */
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
    // `isSubAccount` is always false, because no documented answer of Binance says whether a key belongs to a
    // sub-account. The account id is read with the key, so a payer is always shown the exchange account that is read.
    isSubAccount: false,
  };
}
