import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { Credentials } from '../people/earlier-credentials.ts';
import { credentialsPurpose, methodsOf } from '../people/earlier-credentials.ts';
import { listEarlier } from '../people/earlier-credentials-sql.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { openValue } from '../secrets/open-secret.ts';
import type { KeptState } from './undo.ts';

export type OpenedState = KeptState & { keptAt: Date; credentials: Credentials };

export async function openStates(
  queries: Queries | Tx,
  ring: KeyRing,
  personId: bigint,
  now: Date,
): Promise<OpenedState[]> {
  const opened: OpenedState[] = [];
  for (const { id, keptAt, ...sealed } of await listEarlier(queries, personId, now)) {
    const credentials = JSON.parse(await openValue(ring, sealed, credentialsPurpose(personId, keptAt))) as Credentials;
    opened.push({ id, keptAt, mailNormal: credentials.mail.normal, methods: methodsOf(credentials), credentials });
  }
  return opened;
}
