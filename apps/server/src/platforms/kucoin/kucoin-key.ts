import { DAY_MS } from '@counterfoil/core/duration.ts';
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
    createdAt: z.int().positive().optional().catch(undefined),
    expire: z.int().optional().catch(undefined),
  }),
});

const MAX_DAYS = 3_660;

/** The only permission that a key may have; KuCoin's name for withdrawal is `Transfer`. */
const READ = 'General';

const listOf = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/**
 * The end of a key, in days from its creation (`expire`, -1 for never: SubApiKeyCreateRequest of
 * github.com/Kucoin/kucoin-java-sdk). It is undocumented whether the key's description has it.
 */
function endOf(createdAt: number | undefined, expire: number | undefined): { expiresAtMs?: number } {
  if (createdAt === undefined || expire === undefined || expire <= 0 || expire > MAX_DAYS) return {};
  return { expiresAtMs: createdAt + expire * DAY_MS };
}

export function decodeKucoinKey(raw: unknown): KeyFacts {
  const { data } = parseAnswer(keySchema, raw, 'description of the key');
  const { uid, permission, ipWhitelist, isMaster, createdAt, expire } = data;
  const rights = listOf(permission);
  if (rights.length === 0) throw new SourceError('inconsistent', 'KuCoin names no right of the key.');
  return {
    account: String(uid),
    canRead: rights.includes(READ),
    refusedRights: rights.filter((right) => right !== READ),
    ...endOf(createdAt, expire),
    boundToAddresses: listOf(ipWhitelist ?? '').length > 0,
    isSubAccount: !isMaster,
  };
}
