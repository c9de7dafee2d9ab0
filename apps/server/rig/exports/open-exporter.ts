import type { Database } from '../../src/db/database.ts';
import type { ExportKind } from '../../src/exports/export.ts';
import { requestExport } from '../../src/exports/request-export.ts';
import type { Jobs } from '../../src/jobs/open-jobs.ts';
import { openJobs } from '../../src/jobs/open-jobs.ts';
import type { Person } from '../../src/lib/actor.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { addMember } from '../../src/people/add-member.ts';
import { createPerson } from '../../src/people/create-person.ts';
import { SILENT } from '../jobs/job-fixture.ts';
import type { TestStore } from '../stores/open-store.ts';
import { openStore, TESTER } from '../stores/open-store.ts';
import { idOfExport } from './make-files.ts';

/** The owner of a merchant with one store, who asks for exports without a dashboard. */

export type Exporter = {
  store: TestStore;
  jobs: Jobs;
  personId: bigint;
  /** Asks for an export of all rows; returns its id. */
  ask(kind: ExportKind): Promise<bigint>;
};

const HASH_BYTES = 32;

export async function openExporter(database: Database, name = 'exporter'): Promise<Exporter> {
  const store = await openStore(database);
  const context = { database, clock: systemClock, jobs: undefined };
  const mail = { normal: `${name}@acme.test`, shown: `${name}@acme.test` };
  const made = { mail, name: 'Exporter', language: 'en', operatorRole: null } as const;
  const { code } = await createPerson(context, TESTER, made);
  const { merchantAccountId } = store;
  await addMember(context, TESTER, { merchantAccountId, personCode: code, role: 'owner' });
  type Ids = { id: bigint; merchant: string };
  const statement = 'select p.id, m.code as merchant from people p, merchants m where p.code = $1 and m.id = $2';
  const { rows } = await database.pool.query<Ids>(statement, [code, merchantAccountId]);
  const [ids] = rows;
  if (!ids) throw new Error('The exporter is gone.');
  const person: Person = {
    kind: 'person',
    id: ids.id,
    code,
    sessionHash: Buffer.alloc(HASH_BYTES),
    hasFactor: true,
    operatorRole: null,
    elevated: true,
    address: '',
    agent: '',
  };
  const jobs = await openJobs(database, SILENT);
  const input = { merchantCode: ids.merchant, merchantId: undefined, fromAt: null, toAt: null, status: null };
  const ask = async (kind: ExportKind) =>
    idOfExport(
      database,
      await requestExport({ database, clock: systemClock, exportJobs: jobs }, person, { ...input, kind }),
    );
  return { store, jobs, personId: ids.id, ask };
}
