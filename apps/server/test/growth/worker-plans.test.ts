import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createDatabase, dropDatabase, temporaryName } from '../../rig/database/temporary-database.ts';
import { findWaste, findWholeScans } from '../../rig/growth/judge-plans.ts';
import type { RecordedStatement } from '../../rig/growth/recorded-plans.ts';
import { seedPast, vacuum } from '../../rig/growth/seed-past.ts';
import { settleIn, workThrough } from '../../rig/growth/work-through.ts';
import type { WorkerRig } from '../../rig/growth/worker-rig.ts';
import { openWorkerRig } from '../../rig/growth/worker-rig.ts';
import { readWorkerStatements } from './worker-statements.ts';

/**
 * No statement of the worker may cost more the more past rows there are. Each statement that it really sends is judged
 * by its plan. `pnpm bench growth` also compares the pages that it touches with few and with millions of past rows: how
 * many dead rows a statement meets depends on the speed of the machine.
 */

const PAST = 20_000;
const SETUP_MS = 900_000;

/** Statements that this test has no occasion for, and the rows that they would touch. */
const NOT_SENT: Record<string, string> = {
  'confirmations/confirmation-sql markWentBack': 'the one row of a table of one row, after a restore',
  'confirmations/confirmation-sql readConfirmation': 'for the doctor; the one row of a table of one row',
  'invoices/cancellation-sql deleteCancelRequest': 'one request by its key',
  'invoices/cancellation-sql findInvoiceId': 'one invoice by its code',
  'invoices/cancellation-sql lockCancelRequest': 'one request by its key',
  'invoices/cancellation-sql markCancelled': 'one invoice by its id',
  'invoices/cancellation-sql readCancelFacts': 'one invoice by its id, and its transfers',
  'invoices/new-invoice-sql findPresentInvoice': 'sent by the API; one invoice by its store and order',
  'notices/notice-fact-sql findClaim': 'for an email; one claim by its transfer and invoice',
  'jobs/job-sql runSqlOn':
    'the statements of pg-boss; its counts read all jobs, and those that ended are removed after an hour',
  'jobs/job-sql readJobVersion': 'the one row of a table of one row',
  'jobs/job-sql readJobVersionIn': 'the one row of a table of one row',
  'jobs/waiting-job-sql insertWaitingJob': 'one row',
  'jobs/waiting-job-sql takeWaitingJobs': 'the oldest waiting jobs by their ids; usually there are none',
  'ledger/ledger-sql readAvailable': 'for a refusal that top-ups, which cost no fee, never get; one balance by its key',
  'doctor/server-sql proveCommit': 'one message of the write-ahead log, once a minute',
  'days/days-sql deleteStoreDays': 'rows of one day by their keys, when no invoice counts towards them any more',
  'exports/audit-page-sql listPlaces': 'for an export; the wallets of one merchant',
  'exports/audit-page-sql readAuditPage': 'for an export; judged in test/exports',
  'exports/export-retention-sql markErased': 'one export by its id',
  'exports/export-sql beginExport': 'one export by its id',
  'exports/export-sql deleteChunks': 'some chunks of one export',
  'exports/export-sql failExport': 'one export by its id',
  'exports/export-sql findExporter': 'one membership by its key',
  'exports/export-sql finishExport': 'one export by its id',
  'exports/export-sql insertChunk': 'one row',
  'exports/export-sql listExportedStores': 'for an export; stores by their ids',
  'exports/export-sql readMerchantCode': 'for an export; one merchant by its id',
  'exports/invoice-page-sql readInvoicePage': 'for an export; judged in test/exports',
  'exports/ledger-page-sql readLedgerPage': 'for an export; judged in test/exports',
  'exports/ledger-page-sql sumLedgerPart': 'for an export; as many entries of one store as it names',
  'exports/transfer-page-sql findNextPlace': 'for an export; the wallets of one merchant',
  'exports/transfer-page-sql readTransferPage': 'for an export; judged in test/exports',
  'mail/mail-sql countAttempt': 'one mail by its id',
  'mail/mail-sql countWaiting': 'the queued mails of one merchant, by an index of their own, up to a limit',
  'mail/mail-sql decideMail': 'one mail by its id',
  'mail/mail-sql findMail': 'one mail by its id',
  'mail/mail-sql insertMail': 'one row; the owners of the rig are nobody',
  'mail/mail-sql mergeMail': 'one row by its key',
  'merchants/merchant-sql readMerchantName': 'for a mail; one merchant by its id',
  'merchants/merchant-sql readTwoFactorPolicy': 'for a mail; one merchant by its id',
  'notices/notice-fact-sql countUnmatched': 'for a mail; at most a thousand notices of one merchant and moment',
  'notices/notice-fact-sql findAvailable': 'for a mail; one balance by its store',
  'notices/notice-fact-sql findEndingApiKey': 'for a mail; one key by its id',
  'notices/notice-fact-sql findExchangeKeyEnd': 'for a mail; one account by its key',
  'notices/notice-fact-sql findFailingSince': 'for a mail; the failing endpoints of one store',
  'notices/notice-sql findNotice': 'for a mail; one row by its id',
  'notices/notice-sql findWantingRole': 'for a mail; one membership by its key',
  'people/earlier-credentials-sql findEarlier': 'for a mail; one row by its id',
  'people/factor-sql countRecoveryCodes': 'for a mail; the codes of one person',
  'people/link-sql insertLink': 'for a mail; one row',
  'people/mail-fact-sql findDoneAddressChange': 'for a mail; one row by its id',
  'people/mail-fact-sql findMailedAddressChange': 'for a mail; one row by its id',
  'people/mail-fact-sql findMailedInvitation': 'for a mail; one row by its id',
  'people/mail-fact-sql findMailedPerson': 'for a mail; one person by their id',
  'people/mail-fact-sql findMailedReset': 'for a mail; one row by its id',
  'people/mail-fact-sql findMailedRole': 'for a mail; one membership by its key',
  'people/mail-fact-sql findMailedSignUp': 'for a mail; one row by its id',
  'people/mail-fact-sql hasAddress': 'for a mail; one person by their id',
  'people/membership-sql lacksTwoFactor': 'for a mail; one merchant and the two-factor methods of one person',
  'people/membership-sql listTeam': 'for a mail; the members of one merchant',
  'people/membership-sql listRecentOwners': 'for a mail; the owners of one merchant, present and of the last week',
  'people/operator-view-sql readViewFacts': 'for a mail; one row by its code',
  'people/lock-link-sql insertLockLink': 'for a mail; one row',
  'people/person-sql findPersonName': 'for a mail; one person by their code',
  'people/restore-sql findMailedRestore': 'for a mail; one row by its id',
  'people/security-event-sql findSignInOrigin': 'for a mail; the events of one person at one moment',
  'stores/store-sql findStoreName': 'for a mail; one store by its code',
  'wallets/method-change-sql findAnnouncedChange': 'for a mail; one change by its code',
  'wallets/method-change-sql findAnnouncedWallet': 'for a mail; one wallet by its id',
  'audit/alarm-sql hasAlarmSince': 'sent by the API; the newest 500 alarms of a kind',
  'invoices/attachment-sql postponeAttachment': 'one row, when a transfer could not be attached yet',
  'invoices/received-money-sql readReceivedMoney': 'where a store has webhook endpoints; transfers by their ids',
  'webhooks/endpoint-secret-sql readEndpointSecretIds': 'kept in memory; the secrets of one webhook endpoint',
  'webhooks/endpoint-url-sql findEndpointUrl': 'for a mail; one webhook endpoint by its code',
  'webhooks/event-sql findWrittenEvents': 'where a store has webhook endpoints; events by their ids',
  'webhooks/subscription-sql insertEndpointDeliveries': 'where a store has webhook endpoints; events by their ids',
  'webhooks/subscription-sql readSubscriptions': 'the webhook endpoints of a few stores, at most ten each',
  'invoices/explain-sql findOpenAtAddress':
    'where no quote of the same token is near; at most 2,000 amounts of each token at one address',
  'transfers/named-transfer-sql sumStoredCoins': 'where a node cannot trace; the transfers of one block',
  'invoices/change-invoice-sql findLiveInvoices': 'where payments are found after expiry; invoices by their ids',
  'accounts/account-schedule-sql demandSelected': 'a part of the statement that writes a quote',
  'invoices/selection-sql showSelected': 'a part of the statement that writes a quote',
  'invoices/selection-sql showQuote': 'for a method that was selected before; one invoice by its id',
  'quotes/quote-sql findFreeUnits': 'where drawn amounts are taken; the amounts of one band at one address',
  'return-delivery': 'one delivery by its id, of a store whose webhooks cannot be signed',
  'sandbox/act-sql countTry': 'one row, when an act waited too long for a lock',
  'accounts/statement-sql renameRows': 'one row by its id, when a platform gives a held payment its own id',
  'accounts/unreadable-sql markUnstartable': 'one row, when nobody has kept the beginning of an account',
  'chains/chain-sql readAgedHeight': 'for rules by age; walks the headers that are held of one network',
};

let rig: WorkerRig;
let name: string;
let many: RecordedStatement[];
beforeAll(async () => {
  name = temporaryName('test');
  rig = await openWorkerRig(await createDatabase(inject('adminUrl'), name, inject('template').name));
  await seedPast(rig.admin, PAST, rig.addresses);
  await settleIn(rig);
  await vacuum(rig.admin);
  await workThrough(rig);
  await vacuum(rig.admin);
  await workThrough(rig);
  many = rig.take();
}, SETUP_MS);
afterAll(async () => {
  await rig.close();
  await dropDatabase(inject('adminUrl'), name);
});

describe('of everything that the worker sends', () => {
  test('nothing reads a table that grows from end to end', () => {
    expect(findWholeScans(many)).toEqual([]);
  });

  test('nothing reads rows only to discard them', () => {
    expect(findWaste(many)).toEqual([]);
  });

  test('nothing was left out: each statement of a -sql file that the worker imports was sent', () => {
    const sent = new Set(many.map(({ label }) => label));
    const all = readWorkerStatements();
    expect(all.filter((label) => !sent.has(label))).toEqual(Object.keys(NOT_SENT).toSorted());
    expect(all.length).toBeGreaterThan(80);
  });
});
