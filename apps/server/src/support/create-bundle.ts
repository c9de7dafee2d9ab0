import { countUnacknowledged, listAlarms } from '../audit/alarm-sql.ts';
import { findUnknownSettings } from '../config/find-unknown-settings.ts';
import { secretValues } from '../config/secret-values.ts';
import { showSettings } from '../config/show-settings.ts';
import { readMigrations } from '../db/migrate.ts';
import { reasonOf } from '../doctor/finding.ts';
import type { DoctorContext } from '../doctor/run-doctor.ts';
import { runDoctor } from '../doctor/run-doctor.ts';
import { JOB_SCHEMA_VERSION } from '../jobs/job.ts';
import { VERSION } from '../lib/version.ts';
import { pickLogLines } from './log-lines.ts';
import { createScrub, scrubValue } from './scrub-text.ts';
import { countThings, listNetworkStates, listTableSizes, readServerFacts } from './support-sql.ts';

const MAX_ALARMS = 100;
/** Characters of an alarm's details. */
const MAX_DETAILS = 4_000;

type Bundle = Record<string, unknown>;

function showSetting({ variables, process }: DoctorContext, scrub: (text: string) => string): Bundle {
  const shown = showSettings(process, variables).map(({ name, value, from }) => [name, `${scrub(value)} [${from}]`]);
  // Only the names of settings that nothing reads: a secret setting with a misspelt name is one of them.
  return { ...(Object.fromEntries(shown) as Bundle), not_known: findUnknownSettings(variables).map(scrub) };
}

function databaseSections({ database }: DoctorContext): Record<string, () => Promise<unknown>> {
  if (!database) return {};
  const { queries } = database;
  return {
    database: () => readServerFacts(queries),
    counts: () => countThings(queries),
    networks: () => listNetworkStates(queries),
    open_alarms: async () => (await countUnacknowledged(queries)).filter(({ alarms }) => alarms > 0),
    alarms: async () =>
      (await listAlarms(queries, { all: true, limit: MAX_ALARMS })).map(
        ({ id, at, kind, subject, details, acknowledgedAt }) => ({
          id,
          at,
          kind,
          subject,
          details: JSON.stringify(details).length > MAX_DETAILS ? '[too long]' : details,
          acknowledged_at: acknowledgedAt,
        }),
      ),
    tables: () => listTableSizes(queries),
  };
}

/**
 * Describes an installation for support, without secrets, email addresses, API keys and invoice links. A section that
 * cannot be read says why, so that the bundle of a broken installation has the others.
 */
export async function createBundle(context: DoctorContext, log: string | undefined): Promise<Bundle> {
  const scrub = createScrub(secretValues(context.variables));
  const sections: Record<string, () => Promise<unknown>> = {
    doctor: () => runDoctor(context),
    ...databaseSections(context),
  };
  const read = await Promise.all(
    Object.entries(sections).map(async ([name, section]) => {
      const value = await section().catch((cause: unknown) => ({ unavailable: reasonOf(cause) }));
      return [name, scrubValue(value, scrub)] as const;
    }),
  );
  return {
    created_at: new Date(context.clock.nowMs()).toISOString(),
    version: {
      ...VERSION,
      migrations: (await readMigrations()).length,
      jobs: JOB_SCHEMA_VERSION,
      node: process.version,
    },
    settings: showSetting(context, scrub),
    ...Object.fromEntries(read),
    ...(log !== undefined && { log: pickLogLines(log, scrub) }),
  };
}
