import { z } from 'zod';
import { SourceError } from '../../sources/chain-source.ts';
import { parseAnswer } from '../exchange/ask-platform.ts';
import type { KeyFacts } from '../statement-source.ts';

/** Decodes `GET /api/v1/user/api-key`: www.kucoin.com/docs-new, "Get Apikey Info". */

const keySchema = z.object({
  data: z.object({
    uid: z.int().positive(),
    permission: z.string(),
    ipWhitelist: z.string().nullish(),
    isMaster: z.boolean(),
  }),
});

/**
 * The only right that a key may have. A key with any other right is refused; KuCoin calls the right to withdraw
 * `Transfer`.
 */
const READ = 'General';

const listOf = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

export function decodeKucoinKey(raw: unknown): KeyFacts {
  const { uid, permission, ipWhitelist, isMaster } = parseAnswer(keySchema, raw, 'description of the key').data;
  const rights = listOf(permission);
  if (rights.length === 0) throw new SourceError('inconsistent', 'KuCoin names no right of the key.');
  return {
    account: String(uid),
    canRead: rights.includes(READ),
    refusedRights: rights.filter((right) => right !== READ),
    boundToAddresses: listOf(ipWhitelist ?? '').length > 0,
    isSubAccount: !isMaster,
  };
}
