import { LOOKING } from '@counterfoil/core/permission.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { requireMember } from '../people/require-member.ts';
import type { NoticeTopic } from './notice.ts';
import { saveSwitched } from './notice-sql.ts';

type SetNoticesInput = {
  merchantCode: string;
  /** Whether each of these topics is wanted; others do not change. */
  wanted: Readonly<Partial<Record<NoticeTopic, boolean>>>;
};

export async function setNotices(context: Context, actor: Person, input: SetNoticesInput): Promise<void> {
  const asked = { merchantCode: input.merchantCode, permission: 'invoice.see' } as const;
  const { merchantAccountId, role } = await requireMember(context, actor, asked);
  if (role === LOOKING) throw new Refusal('READ_ONLY_VIEW');
  const topics = Object.entries(input.wanted) as [NoticeTopic, boolean | undefined][];
  await inTransaction(context.database, async (tx) => {
    for (const [topic, wanted] of topics.toSorted(([one], [other]) => one.localeCompare(other)))
      if (wanted !== undefined) await saveSwitched(tx, { merchantAccountId, personId: actor.id }, { topic, wanted });
  });
}
