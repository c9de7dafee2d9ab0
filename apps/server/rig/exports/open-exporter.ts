import type { Database } from '../../src/db/database.ts';
import type { ExportKind } from '../../src/exports/export.ts';
import { requestExport } from '../../src/exports/request-export.ts';
import type { Jobs } from '../../src/jobs/open-jobs.ts';
import { openJobs } from '../../src/jobs/open-jobs.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { addMember } from '../../src/people/add-member.ts';
import { createPerson } from '../../src/people/create-person.ts';
import { SILENT } from '../jobs/job-fixture.ts';
import { personOf } from '../people/person-of.ts';
import type { TestStore } from '../stores/open-store.ts';
import { openStore, TESTER } from '../stores/open-store.ts';
import { idOfExport } from './make-files.ts';

/** The owner of a merchant with one store, who asks for exports without a dashboard. */

export type Exporter = {
  store: TestStore;
  jobs: Jobs;
  personId: bigint;
  /** Asks for an export of all rows, or of the rows from a moment on; returns its id. */
  ask(kind: ExportKind, fromAt?: Date): Promise<bigint>;
};

export async function openExporter(
  database: Database,
  { name = 'exporter', clock = systemClock } = {},
): Promise<Exporter> {
  const store = await openStore(database, { clock });
  const context = { database, clock, jobs: undefined };
  const mail = { normal: `${name}@acme.test`, shown: `${name}@acme.test` };
  const made = { mail, name: 'Exporter', language: 'en', operatorRole: null } as const;
  const { code } = await createPerson(context, TESTER, made);
  const { merchantAccountId } = store;
  await addMember(context, TESTER, { merchantAccountId, personCode: code, role: 'owner' });
  const statement = 'select code from merchants where id = $1';
  const { rows } = await database.pool.query<{ code: string }>(statement, [merchantAccountId]);
  const merchantCode = rows[0]?.code ?? '';
  const person = await personOf(database, code);
  const jobs = await openJobs(database, SILENT);
  const input = { merchantCode, merchantId: undefined, toAt: null, status: null };
  const ask = async (kind: ExportKind, fromAt: Date | null = null) =>
    idOfExport(
      database,
      await requestExport({ database, clock, jobs: undefined, exportJobs: jobs }, person, { ...input, kind, fromAt }),
    );
  return { store, jobs, personId: person.id, ask };
}
