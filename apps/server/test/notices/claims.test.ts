import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { quoteInvoice, receiveUnmatched } from '../../rig/invoices/make-unmatched.ts';
import type { WebhookFixture } from '../../rig/webhooks/webhook-fixture.ts';
import { openWebhookFixture, rowsOf } from '../../rig/webhooks/webhook-fixture.ts';
import { openStore, TESTER } from '../../rig/stores/open-store.ts';
import { GATHERERS } from '../../src/mail-gatherers.ts';
import type { MailData } from '../../src/mail/mail.ts';
import { confirmMailSetup } from '../../src/mail/confirm-mail-setup.ts';
import { sweepNotices } from '../../src/notices/sweep-notices.ts';
import { addMember } from '../../src/people/add-member.ts';
import { createPerson } from '../../src/people/create-person.ts';

let fixture: WebhookFixture;
beforeAll(async () => {
  fixture = await openWebhookFixture(inject('template'), 1);
});
afterAll(() => fixture.close());

const MAIL = 'finance@acme.test';
const query = (text: string, values: unknown[]) => fixture.database.pool.query(text, values);

async function told(): Promise<MailData[]> {
  await query('delete from mails', []);
  const worker = { database: fixture.as('worker'), clock: fixture.clock, jobs: undefined };
  await confirmMailSetup(worker);
  await sweepNotices(worker);
  const rows = await rowsOf<{ data: MailData }>(
    fixture,
    `select data from mails where template = 'payment-claimed' order by id`,
  );
  return rows.map(({ data }) => data);
}

const gather = (data: MailData | undefined) => {
  const context = { database: fixture.as('worker'), clock: fixture.clock, dashboardUrl: 'https://dashboard.example' };
  return GATHERERS['payment-claimed'](context, data ?? {}, { normal: MAIL, shown: MAIL });
};

test('a claim is reported once, with its amount, order and link, until the transfer is dismissed', async () => {
  const store = await openStore(fixture.database);
  const context = { database: fixture.database, clock: fixture.clock, jobs: undefined };
  const person = {
    mail: { normal: MAIL, shown: MAIL },
    name: 'Finance',
    language: 'en',
    operatorRole: null,
  } as const;
  const { code } = await createPerson(context, TESTER, person);
  const { merchantAccountId } = store;
  await addMember(context, TESTER, { merchantAccountId, personCode: code, role: 'finance' });

  const { transId, quoteId, to } = await quoteInvoice(fixture.database, store, '50');
  const transfer = await receiveUnmatched(fixture.database, to, { amount: '49', quoteId });
  await query('update transfers set seen_at = $2 where id = $1', [transfer, new Date(fixture.clock.nowMs())]);
  const claim = (invoice: string) =>
    query(
      `insert into named_transactions (invoice_id, network, tx_id, store_id, named_by)
       select i.id, t.network, t.tx_id, i.store_id, 'payer' from invoices i, transfers t where i.trans_id = $1 and t.id = $2`,
      [invoice, transfer],
    );
  expect(await told()).toEqual([]);
  await claim(transId);
  const [sent, ...others] = await told();
  expect(others).toEqual([]);
  const [merchant] = await rowsOf<{ code: string }>(fixture, 'select code from merchants where id = $1', [
    merchantAccountId,
  ]);
  expect(await gather(sent)).toEqual({
    merchant: 'Test merchant',
    store: 'Test store',
    amount: '49 USDT',
    order: transId,
    link: `https://dashboard.example/m/${merchant?.code ?? ''}/unmatched/${transfer}`,
  });
  expect(await told()).toEqual([]);
  await claim((await quoteInvoice(fixture.database, store, '50')).transId);
  expect(await told()).toHaveLength(1);
  await query(
    `insert into dismissed_transfers (transfer_id, merchant_account_id, note, dismissed_by, dismissed_at)
     values ($1, $2, 'ours', 'x', now())`,
    [transfer, merchantAccountId],
  );
  expect(await gather(sent)).toBeUndefined();
});
