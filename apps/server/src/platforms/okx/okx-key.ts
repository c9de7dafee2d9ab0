import { z } from 'zod';
import { SourceError } from '../../sources/chain-source.ts';
import { parseAnswer } from '../exchange/ask-platform.ts';
import type { KeyFacts } from '../statement-source.ts';

/** Decodes the answer of `GET /api/v5/account/config`. */

const configSchema = z.object({
  data: z.tuple([
    z.object({
      uid: z.string().regex(/^\d{1,32}$/),
      mainUid: z.string().regex(/^\d{1,32}$/),
      perm: z.string(),
      ip: z.string(),
    }),
  ]),
});

/** The only permission that a key may have; any other is refused, also future ones. */
const READ = 'read_only';

const listOf = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** OKX expires unused keys only if they may trade or withdraw, which ours may not. */
export function decodeOkxKey(raw: unknown): KeyFacts {
  const [{ uid, mainUid, perm, ip }] = parseAnswer(configSchema, raw, 'description of the key').data;
  const rights = listOf(perm);
  if (rights.length === 0) throw new SourceError('inconsistent', 'OKX names no right of the key.');
  return {
    account: uid,
    canRead: rights.includes(READ),
    refusedRights: rights.filter((right) => right !== READ),
    boundToAddresses: listOf(ip).length > 0,
    isSubAccount: uid !== mainUid,
  };
}
