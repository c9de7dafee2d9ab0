import { z } from 'zod';
import { SourceError } from '../../sources/chain-source.ts';
import { parseAnswer } from '../exchange/ask-platform.ts';
import type { KeyFacts } from '../statement-source.ts';

/** Decodes what OKX says about a key, the answer of `GET /api/v5/account/config`. */

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

/** The only right that a key may have. A key with any other right is refused, also with one that OKX adds some day. */
const READ = 'read_only';

const listOf = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/**
 * What OKX says about a key. OKX ends keys without bound IP addresses after two weeks without use only if they may
 * trade or withdraw, which no key of ours may: so a key has no end.
 */
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
