import { z } from 'zod';
import { SourceError } from '../../sources/chain-source.ts';
import { parseAnswer } from '../exchange/ask-platform.ts';
import type { KeyFacts } from '../statement-source.ts';

/** Decodes `GET /api/v5/account/config`. */

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

/** The only right that a key may have. Anything else is refused, also what OKX may add one day. */
const READ = 'read_only';

const listOf = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/**
 * A key without bound addresses ends after two weeks of rest only if it may trade or withdraw, which no key of ours may: it
 * has no end.
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
