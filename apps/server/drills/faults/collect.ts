import type { Hex } from 'viem';
import { pad } from 'viem';
import { canonicalToken } from '../../rig/chains/evm/token.ts';
import { gatherFaults } from '../../rig/report/faults.ts';
import type { FaultFact, FaultRecord, InvoiceFact } from '../../rig/report/fault-judgement.ts';
import type { Database } from '../../src/db/database.ts';
import { checkLedger } from '../chain/rows.ts';
import type { Members } from './members.ts';
import type { FaultChain, FaultSite } from './site.ts';
import type { Load } from './strike.ts';

/** Collects what the judge compares: the clients' own records, chains, rows and receipts. */

const TRANSFER_EVENT: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** Transactions on a chain that paid the drill's address, read without any code of the product. */
async function readPayments({ anvil, address }: FaultChain): Promise<string[]> {
  const filter = {
    address: canonicalToken(anvil.chainId, 'USDT').address,
    topics: [TRANSFER_EVENT, null, pad(address as Hex)],
    fromBlock: '0x0',
    toBlock: 'latest',
  };
  const logs = await anvil.rpc<{ transactionHash: string }[]>('eth_getLogs', [filter]);
  return logs.map(({ transactionHash }) => transactionHash);
}

async function readInvoices({ pool }: Database): Promise<InvoiceFact[]> {
  const { rows } = await pool.query<InvoiceFact>(
    `select i.request_id as "requestId", i.trans_id as "transId", i.status, i.transaction_hash as tx,
       array(select e.type from events e where e.invoice_id = i.id order by e.sequence) as events
     from invoices i`,
  );
  return rows;
}

async function readLedgerFaults(database: Database): Promise<readonly string[]> {
  const faults = gatherFaults();
  await checkLedger(database, faults);
  return faults.all();
}

const readMails = ({ received }: FaultSite['mail'], { askedMails }: Members): FaultRecord['owed'] => {
  const got = new Set(received.flatMap(({ to }) => to));
  return askedMails.map(({ mail }) => ({ what: `the email to ${mail}`, given: got.has(mail) }));
};

async function readExports({ pool }: Database, { askedExports }: Members): Promise<FaultRecord['owed']> {
  const { rows } = await pool.query<{ code: string }>(`select code from exports where state = 'done'`);
  const made = new Set(rows.map(({ code }) => code));
  return askedExports.map((code) => ({ what: `the export ${code}`, given: made.has(code) }));
}

type Caused = { faults: readonly FaultFact[]; promised: readonly string[] };

export async function collectRecord(
  site: FaultSite,
  { customers, members }: Load,
  caused: Caused,
): Promise<FaultRecord> {
  const { database, chains, receivers, mail } = site;
  const { receipts, faults } = await receivers.report();
  const transfers = await database.pool.query<FaultRecord['transfers'][number]>(
    `select t.tx_id as tx, t.reason, i.trans_id as "transId"
     from transfers t left join invoices i on i.id = t.invoice_id where t.canonical`,
  );
  const events = await database.pool.query<FaultRecord['events'][number]>(
    `select e.event_id as "eventId", i.trans_id as "transId" from events e join invoices i on i.id = e.invoice_id`,
  );
  const paid = await Promise.all(chains.map(readPayments));
  return {
    ...caused,
    acknowledged: [...customers.acknowledged].map(([requestId, transIds]) => ({ requestId, transIds })),
    invoices: await readInvoices(database),
    payments: customers.payments,
    onChain: new Set(paid.flat()),
    transfers: transfers.rows,
    events: events.rows,
    receipts,
    changedBodies: faults.bodies,
    wrongSignatures: faults.signatures,
    owed: [...(await readExports(database, members)), ...readMails(mail, members)],
    ledgerFaults: await readLedgerFaults(database),
  };
}
