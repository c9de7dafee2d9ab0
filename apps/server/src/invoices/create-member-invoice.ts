import { formatUsd } from '@counterfoil/core/usd.ts';
import type { BaseLogger } from 'pino';
import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { ReadRate } from '../rates/read-rate.ts';
import { BURST_WINDOW_SECONDS, SUSTAINED_WINDOW_SECONDS } from '../stores/admission.ts';
import { admitStore } from '../stores/admission-sql.ts';
import type { AdmittedStore } from '../stores/store-for-key.ts';
import { storeForKey } from '../stores/store-for-key.ts';
import { storeForMember } from '../stores/store-for-member.ts';
import { findCallbackFault } from '../webhooks/callback-fault.ts';
import type { CreateInvoiceInput, InsertInvoice } from './create-invoice.ts';
import { createInvoice } from './create-invoice.ts';
import type { CreatedInvoice } from './new-invoice-sql.ts';
import { insertInvoiceIn, wasOverdrawn } from './new-invoice-sql.ts';

type MemberInvoiceContext = Context & {
  log: Pick<BaseLogger, 'warn'>;
  readRate: ReadRate;
  /** Allows private IP addresses for webhooks; development only. */
  privateCallbacks: boolean;
};

type MemberInvoiceInput = Omit<CreateInvoiceInput, 'store'> & { merchantCode: string; merchantId: string };

/** Applies the store's rate limit and refuses inactive stores. */
async function admitMember(
  context: Context,
  actor: Person,
  { merchantCode, merchantId }: Pick<MemberInvoiceInput, 'merchantCode' | 'merchantId'>,
): Promise<AdmittedStore> {
  const { id } = await storeForMember(context, actor, { merchantCode, merchantId, permission: 'invoice.create' });
  const { store, rate } = await admitStore(context.database.queries, id, 'create');
  if (rate.exceeded) {
    const retryAfterSeconds = rate.exceeded === 'burst' ? BURST_WINDOW_SECONDS : SUSTAINED_WINDOW_SECONDS;
    throw new Refusal('TOO_MANY_INVOICES', { retryAfterSeconds });
  }
  if (!store) throw new Refusal('STORE_UNKNOWN', { store: merchantId });
  if (!store.accountActive || !store.active) throw new Refusal('STORE_SWITCHED_OFF');
  return storeForKey(store);
}

/** Inserts an invoice with its audit entry, on a connection with the person's scope of rows. */
function createInsertAudited({ database, clock }: Context, actor: Person): InsertInvoice {
  return async (invoice) => {
    try {
      const value = await inTransaction(database, async (tx) => {
        const outcome = await insertInvoiceIn(tx, invoice);
        if (outcome.outcome !== 'created') return outcome;
        const { transId, requestId, amountUnits, pricing } = invoice;
        const amount = pricing && `${pricing.currencyAmount} ${pricing.currency}`;
        const after = { requestId, amountUsd: formatUsd(amountUnits), ...(amount && { amount }) };
        await recordAudit(tx, clock, actor, {
          action: 'invoice.create',
          subject: `invoice:${transId}`,
          details: { after },
        });
        return outcome;
      });
      return { status: 'fulfilled', value };
    } catch (cause) {
      if (wasOverdrawn(cause)) return { status: 'fulfilled', value: { outcome: 'insufficient-balance' } };
      throw cause;
    }
  };
}

/** Creates an invoice for a member, with the same rates, fees, refusals and idempotency as by API key. */
export async function createMemberInvoice(
  context: MemberInvoiceContext,
  actor: Person,
  { merchantCode, merchantId, ...asked }: MemberInvoiceInput,
): Promise<CreatedInvoice> {
  const store = await admitMember(context, actor, { merchantCode, merchantId });
  const { callbackUrl } = asked;
  const fault = callbackUrl === null ? undefined : findCallbackFault(callbackUrl, store, context.privateCallbacks);
  if (fault !== undefined) throw new Refusal('CALLBACK_UNFIT', { fault });
  const insertInvoice = createInsertAudited(context, actor);
  return createInvoice({ ...context, insertInvoice }, actor, { store, ...asked });
}
