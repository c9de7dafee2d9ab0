import type { Person } from '../lib/actor.ts';
import type { InvoiceState } from './invoice-state-sql.ts';
import { readStates } from './invoice-state-sql.ts';
import type { ViewsContext } from './require-visible-stores.ts';
import { requireVisibleStores } from './require-visible-stores.ts';

type StatesInput = { merchantCode: string; transIds: readonly string[] };

/** The present states of invoices; invisible ones are left out. */
export async function readInvoiceStates(
  context: ViewsContext,
  actor: Person,
  { merchantCode, transIds }: StatesInput,
): Promise<InvoiceState[]> {
  const asked = { merchantCode, permission: 'invoice.see', transIds } as const;
  const { stores } = await requireVisibleStores(context, actor, asked);
  return readStates(context.views.queries, [...stores.keys()], transIds);
}
