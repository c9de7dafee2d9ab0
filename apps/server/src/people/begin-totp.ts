import { inTransaction } from '../db/transaction.ts';
import type { Person } from '../lib/actor.ts';
import { sealSecret } from '../secrets/seal-secret.ts';
import { requireNewApp } from './attempt.ts';
import { savePendingTotp } from './factor-sql.ts';
import type { PeopleContext } from './people-context.ts';
import { readPerson } from './person-sql.ts';
import { totpPurpose } from './person.ts';
import { requireElevated } from './require-elevated.ts';
import { createTotpSecret, totpAddress } from './totp.ts';

type BegunTotp = { secret: string; address: string };

/** Generates an authenticator secret. An existing app stays valid until the new one is confirmed. */
export async function beginTotp({ database, ring }: PeopleContext, actor: Person): Promise<BegunTotp> {
  requireElevated(actor);
  await requireNewApp(database.queries, actor.id);
  const secret = createTotpSecret();
  const { mail } = await readPerson(database.queries, actor.id);
  await inTransaction(database, async (tx) => {
    const secretId = await sealSecret(tx, ring, totpPurpose(actor.id), secret);
    await savePendingTotp(tx, actor.id, secretId);
  });
  return { secret, address: totpAddress(secret, mail) };
}
