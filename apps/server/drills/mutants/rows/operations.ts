import type { Mutant } from '../mutant.ts';
import { lines } from '../mutant.ts';

/** Bugs in connections, secrets, webhooks, visitor limits and the doctor. */
export const OPERATIONS_MUTANTS: readonly Mutant[] = [
  {
    name: 'watchdog-sleeps',
    edits: [
      {
        file: 'src/lib/watchdog.ts',
        find: 'const busy = [...entries].filter((entry) => entry.running > 0);',
        replace: 'const busy = [...entries].filter((entry) => entry.running > 1);',
      },
    ],
    suite: 'src/lib/watchdog.test.ts',
    title: 'a run that shows no life for as long as it may is reported, once and by name',
  },
  {
    name: 'stops-unannounced',
    edits: [{ file: 'src/main-api.ts', find: '      readiness.shuttingDown = true;\n', replace: '' }],
    suite: 'test/readiness.test.ts',
    title: 'a stopped process keeps serving while it reports that it is not ready, until a second signal',
  },
  {
    name: 'jobs-sent-unchecked',
    edits: [
      {
        file: 'src/jobs/open-jobs.ts',
        find: 'fault === undefined && (await readJobVersionIn(tx)) === JOB_SCHEMA_VERSION ? boss : undefined',
        replace: 'fault === undefined && (await readJobVersionIn(tx)) !== undefined ? boss : undefined',
      },
    ],
    suite: 'src/jobs/waiting-jobs.test.ts',
    title: 'a process that runs already stops sending and doing jobs, and continues without a restart',
  },
  {
    name: 'jobs-stay-off',
    edits: [{ file: 'src/jobs/open-jobs.ts', find: '    fault = undefined;\n', replace: '' }],
    suite: 'src/jobs/waiting-jobs.test.ts',
    title: 'a process that runs already stops sending and doing jobs, and continues without a restart',
  },
  {
    name: 'waiting-jobs-at-once',
    edits: [
      {
        file: 'src/jobs/send-job.ts',
        find: '{ ...options, db: fromKysely(tx) }',
        replace: '{ priority: options.priority, db: fromKysely(tx) }',
      },
    ],
    suite: 'src/jobs/waiting-jobs.test.ts',
    title: 'a waiting job keeps its priority and the time before which it is not done',
  },
  {
    name: 'rollback-past-silence',
    edits: [
      {
        file: 'src/db/compatibility.ts',
        find: 'const needed = (one: AppliedMigration) => one.compatibleFrom ?? one.version;',
        replace: 'const needed = (one: AppliedMigration) => one.compatibleFrom ?? 0;',
      },
    ],
    suite: 'test/rollback.test.ts',
    title: 'cannot be gone back to past a migration that does not say which versions it supports',
  },
  {
    name: 'rollback-to-older-jobs',
    edits: [
      {
        file: 'src/doctor/check-rollback.ts',
        find: 'supported === undefined || supported === tables',
        replace: 'supported === undefined || supported >= (tables ?? 0)',
      },
    ],
    suite: 'test/rollback.test.ts',
    title: 'that would run with jobs off, or not start, beside the job tables is refused with what would happen',
  },
  {
    name: 'idle-lines-kept',
    edits: [{ file: 'src/db/guard-connection.ts', find: 'cutIdle(pool);', replace: 'if (pool.ending) cutIdle(pool);' }],
    suite: 'src/db/guard-connection.test.ts',
    title: 'a connection that dies in silence closes the idle ones beside it: nobody waits for one after the other',
  },
  {
    name: 'refused-is-known',
    edits: [
      {
        file: 'src/checkout/visitor-limits.ts',
        find: 'const counted = [...ofVisitor(visit, client, invoice), ...(isKnown ? [] : shareOf(visit, around, invoice))];',
        replace: lines(
          'const counted = [...ofVisitor(visit, client, invoice), ...(isKnown ? [] : shareOf(visit, around, invoice))];',
          '      known.remember(invoice, visitor, around.block);',
        ),
      },
      {
        file: 'src/checkout/visitor-limits.ts',
        find: '      known.remember(invoice, visitor, around.block);\n',
        replace: '',
      },
    ],
    suite: 'src/checkout/visitor-limits.test.ts',
    title: 'select: a stranger who was refused is still a stranger the next time',
  },
  {
    name: 'ring-written-unlocked',
    edits: [{ file: 'src/secrets/add-ring-key.ts', find: 'await prove();', replace: "if (id === '') await prove();" }],
    suite: 'src/secrets/reseal-secrets.test.ts',
    title: 'a new key is not written once the lock is lost with its connection: another may be writing by now',
  },
  {
    name: 'reseal-without-backup',
    edits: [
      {
        file: 'src/secrets/reseal-secrets.ts',
        find: 'if (input.copyDigest !== digest)',
        replace: "if (input.copyDigest === '' || digest === '')",
      },
    ],
    suite: 'src/secrets/reseal-secrets.test.ts',
    title: 'reseal is refused with the digest of a backup from before the new key, and changes nothing',
  },
  {
    name: 'webhooks-of-everybody',
    edits: [
      {
        file: 'src/webhooks/delivery-sql.ts',
        find: 'f.store_id = d.store_id and f.webhooks_fail_until',
        replace: 'f.webhooks_fail_until',
      },
    ],
    suite: 'test/sandbox/sandbox-api.test.ts',
    title: 'failing webhooks of one store fail for no other store',
  },
  {
    name: 'scope-outlives-request',
    edits: [
      {
        file: 'src/db/act-as.ts',
        find: 'if (given.get(client) === scope) return;',
        replace: 'if (given.has(client)) return;',
      },
    ],
    suite: 'test/people/row-security.test.ts',
    title: 'requests that take turns on the same connections never see with the eyes of another',
  },
  {
    name: 'rows-of-links-everywhere',
    edits: [
      {
        file: 'src/db/row-security.sql',
        find: "('stores', format('merchant_account_id = %s', own), format('merchant_account_id = %s', seen)),",
        replace:
          "('stores', format('merchant_account_id = %s', own_or_linked), format('merchant_account_id = %s', seen)),",
      },
    ],
    suite: 'test/people/row-security.test.ts',
    title: 'whoever has the link of an invitation sees this invitation and the name of its merchant, and no store',
  },
  {
    name: 'formula-unguarded',
    edits: [
      {
        file: 'src/lib/csv.ts',
        find: 'return text === null ? EMPTY : quote(text.replace(FORMULA_BEGINS, "\'"));',
        replace: "return text === null ? EMPTY : quote(text.replace(FORMULA_BEGINS, ''));",
      },
    ],
    suite: 'src/lib/csv.test.ts',
    title: 'gets an apostrophe in front when it begins with "="',
  },
  {
    name: 'redelivery-changes-health',
    edits: [
      {
        file: 'src/webhooks/attempt-sql.ts',
        find: 'from moved_deliveries where not leaves_health group by endpoint_id',
        replace: 'from moved_deliveries group by endpoint_id',
      },
    ],
    suite: 'test/webhooks/by-hand.test.ts',
    title: 'that meets a failing receiver leaves a healthy endpoint healthy',
  },
  {
    name: 'waiting-redeliveries-free',
    edits: [
      {
        file: 'src/webhooks/redelivery-sql.ts',
        find: 'storeId} and by_hand and created_at > ${since',
        replace: "storeId} and by_hand and state <> 'pending' and created_at > ${since",
      },
    ],
    suite: 'test/dashboard/deliveries.test.ts',
    title: 'is counted as sent again before it is sent: of twenty at once, as many as the day has room for',
  },
  {
    name: 'never-read-is-fine',
    edits: [
      {
        file: 'src/doctor/examine-database.ts',
        find: 'const known = new Set([...facts.map(({ network }) => network), ...needed]);',
        replace: 'const known = new Set(facts.map(({ network }) => network));',
      },
    ],
    suite: 'test/doctor/doctor.test.ts',
    title: 'a network of a live store that nobody has ever read',
  },
  {
    name: 'dashboard-stops-unannounced',
    edits: [{ file: 'src/main-dashboard.ts', find: '      readiness.shuttingDown = true;\n', replace: '' }],
    suite: 'test/readiness.test.ts',
    title: 'a stopped dashboard server keeps serving while it reports that it is not ready, until a second signal',
  },
  {
    name: 'changed-migration-ready',
    edits: [
      {
        file: 'src/http/health-routes.ts',
        find: "changed: { faults: ['schema has a migration that was changed'], notes: [] }",
        replace: 'changed: HEALTHY',
      },
    ],
    suite: 'test/readiness.test.ts',
    title: 'a process whose migrations were changed in the database is not ready',
  },
  {
    name: 'full-server-not-awaited',
    edits: [{ file: 'src/db/await-database.ts', find: '/^(?:57P|53300)/', replace: '/^57P/' }],
    suite: 'src/db/await-database.test.ts',
    title: 'a process waits while the server has no free connection',
  },
  {
    name: 'plan-for-any-encoding',
    edits: [
      {
        file: 'src/db/describe-preparation.ts',
        find: '    await requireEncoding(client);',
        replace: '    if (roles) await requireEncoding(client);',
      },
    ],
    suite: 'src/db/describe-preparation.test.ts',
    title: 'is refused for a database that does not store text as UTF-8, as the migration is',
  },
  {
    name: 'loops-untimed',
    edits: [{ file: 'src/main-worker.ts', find: '...loopTimes.time(loop)', replace: '...loop' }],
    suite: 'test/metrics-of-processes.test.ts',
    title: 'a worker shows for each of its loops when it last completed a run',
  },
  {
    name: 'old-events-kept',
    edits: [
      {
        file: 'src/worker-loops.ts',
        find: 'const moreEvents = await eraseSecurityEvents({ database, clock });',
        replace: 'const moreEvents = (await eraseSecurityEvents({ database, clock: { nowMs: () => 0 } })) && false;',
      },
    ],
    suite: 'test/upkeep-worker.test.ts',
    title: 'a worker makes the months that are missing, and drops those of security events that are no longer kept',
  },
  {
    name: 'reseal-unlocked',
    edits: [
      {
        file: 'src/secrets/reseal-secrets.ts',
        find: '    await prove();\n    const done',
        replace: "    if (after === '') await prove();\n    const done",
      },
    ],
    suite: 'src/secrets/reseal-secrets.test.ts',
    title: 'reseal stops after the batch in which its lock was lost: another may be changing the keys by now',
  },
  {
    name: 'unconfirmed-commit-is-fine',
    edits: [
      {
        file: 'src/doctor/server-sql.ts',
        find: "if (severity === 'WARNING') isConfirmed = false;",
        replace: "if (severity === 'ERROR') isConfirmed = false;",
      },
    ],
    suite: 'test/doctor/doctor.test.ts',
    title: 'a synchronous standby that is connected and confirms nothing',
  },
  {
    name: 'plan-not-held',
    edits: [{ file: 'src/merchants/plan-sql.ts', find: ' for no key update`', replace: '`' }],
    suite: 'test/commands/plans.test.ts',
    title: 'a plan change waits for another one that is under way, and keeps what that one changed',
  },
];
