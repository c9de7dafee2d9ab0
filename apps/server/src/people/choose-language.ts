import type { Language } from '@counterfoil/core/language.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Context } from '../db/context.ts';
import type { Person } from '../lib/actor.ts';
import { lockActor } from './lock-actor.ts';
import { saveLanguage } from './person-sql.ts';

export async function chooseLanguage({ database }: Context, actor: Person, language: Language): Promise<void> {
  await inTransaction(database, async (tx) => {
    await lockActor(tx, actor);
    await saveLanguage(tx, actor.id, language);
  });
}
