import { parseArgs } from 'node:util';
import { allowLogin, openWithRoles } from '../../rig/database/role-database.ts';
import { withTemporaryDatabase } from '../../rig/database/temporary-database.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import type { Faults } from '../../rig/report/faults.ts';
import { describeFaults, gatherFaults } from '../../rig/report/faults.ts';
import type { UpgradeFigures } from '../../rig/report/upgrade-judgement.ts';
import { findUpgradeFaults, sortFailures } from '../../rig/report/upgrade-judgement.ts';
import type { Closers } from '../../rig/site/site-processes.ts';
import { closeAll, waitUntilPayable } from '../../rig/site/site-processes.ts';
import { formatVersion } from '../../src/db/compatibility.ts';
import type { Database } from '../../src/db/database.ts';
import { readJobVersion } from '../../src/jobs/job-sql.ts';
import { openEmails } from './emails.ts';
import type { Installation } from './installation.ts';
import { createInstallation } from './installation.ts';
import { administer, openShop } from './merchant.ts';
import type { Stage } from './round.ts';
import { replaceUndrained, rollBack, sendWaitingEmails, upgrade } from './round.ts';
import { requireSuccess, runOfVersion } from './run-of-version.ts';
import type { Slot } from './site.ts';
import { openSite, TOKEN } from './site.ts';
import { startTrade } from './trade.ts';
import type { Version, Versions } from './versions.ts';
import { prepareUndrained, prepareVersions } from './versions.ts';

/**
 * Upgrades an installation of the newest earlier version with fewer migrations to this one and rolls it back, with the
 * commands of the guide, behind the shipped Caddyfile: two APIs, two workers and a dashboard are replaced one by one
 * while merchants sell and customers pay. An upgrade of pg-boss is part of it. `--earlier COMMIT` names another version.
 */

const ROUNDS = { quick: 1, full: 3 };
const CONNECTIONS = 4;
const POLL_MS = 200;
const SETTLED_MS = 120_000;
const FIRST: readonly Slot[] = ['api-1', 'api-2', 'dashboard', 'worker-1', 'worker-2'];

/** Waits until every payment is completed and its event has arrived. Returns how many events did not. */
async function settle({ site, trade }: Stage): Promise<number> {
  const arrived = () =>
    new Set(
      site.receiver.received.flatMap(({ body, verified }) => {
        const { trans_id: transId, event } = JSON.parse(body) as { trans_id: string; event: string };
        return verified && event === 'invoice.completed' ? [transId] : [];
      }),
    );
  const findLost = () => {
    const known = arrived();
    return [...trade.paid].filter((transId) => !known.has(transId));
  };
  const limits = { what: '', pollMs: POLL_MS, timeoutMs: SETTLED_MS };
  await waitUntil(() => findLost().length === 0, limits).catch(() => {});
  return findLost().length;
}

async function runRounds(stage: Stage, rounds: number): Promise<boolean> {
  const { faults } = stage;
  let isRolledBack = true;
  for (let round = 1; round <= rounds; round += 1) {
    stage.round = round;
    await upgrade(stage);
    console.log(`round ${round}: upgraded`);
    const wrong = await rollBack(stage);
    console.log(`round ${round}: rolled back`);
    for (const one of wrong) faults.add(one);
    isRolledBack &&= wrong.length === 0;
  }
  return isRolledBack;
}

type Judged = {
  stage: Stage;
  rounds: number;
  tables: readonly [number, number];
  replaced: Installation['replaced'];
  isRolledBack: boolean;
  /** Whether a version that does not drain was among those that ran. */
  ranUndrained: boolean;
};

async function finish(judged: Judged): Promise<UpgradeFigures> {
  const { stage, rounds, tables, replaced, isRolledBack, ranUndrained } = judged;
  const { trade, installation, faults, killed, versions } = stage;
  const { asked, lost } = await sendWaitingEmails(stage);
  await trade.stop();
  const lostWebhooks = await settle(stage);
  await administer(stage.site, versions.present, 'ledger', 'check');
  const sent = trade.sent();
  const { failed, atKills, withoutDrain } = sortFailures(sent, installation.disturbances);
  for (const { method, requestId, status } of failed) faults.add(`${method} of ${requestId} was answered ${status}`);
  const figures: UpgradeFigures = {
    requests: sent.length,
    failed: failed.length,
    failed_without_drain: ranUndrained ? withoutDrain.length : null,
    failed_at_kills: atKills.length,
    kills: killed.length,
    in_flight_at_kills: killed.reduce((sum, { inFlight }) => sum + inFlight, 0),
    payments: trade.paid.size,
    lost_webhooks: lostWebhooks,
    emails: asked,
    lost_emails: lost,
    apis_replaced: replaced.api,
    dashboards_replaced: replaced.dashboard,
    workers_replaced: replaced.worker,
    job_tables: tables,
    rollback_ok: isRolledBack,
  };
  const methods = new Set<string>(sent.map(({ method }) => method));
  const killsInFlight = killed.map(({ inFlight }) => inFlight);
  for (const fault of findUpgradeFaults(figures, { rounds, methods, killsInFlight })) faults.add(fault);
  return figures;
}

/** Installs the earlier version, as its own migration does. Returns the version of its job tables. */
async function install(url: string, database: Database, { earlier }: Versions): Promise<number> {
  const program = { folder: earlier.folder, program: 'main-migrate', words: ['--roles'] } as const;
  const ran = await runOfVersion(program, { COUNTERFOIL_DATABASE_URL: url });
  requireSuccess(ran, 'the first migration of the earlier version');
  await allowLogin(url);
  return (await readJobVersion(database.pool)) ?? 0;
}

type Drill = {
  url: string;
  database: Database;
  versions: Versions;
  /** A version that does not drain, which the full size also runs. */
  undrained: Version | undefined;
  rounds: number;
  faults: Faults;
};

async function runDrill(drill: Drill, closers: Closers): Promise<UpgradeFigures> {
  const { url, database, versions, undrained, rounds, faults } = drill;
  const [site, before] = await Promise.all([openSite(url, database, closers), install(url, database, versions)]);
  const shop = await openShop(site, versions.earlier, closers);
  const installation = createInstallation(site, faults);
  closers.push(() => installation.stopAll());
  await Promise.all(FIRST.map((slot) => installation.start(slot, versions.earlier)));
  await site.caddy.untilReached();
  await waitUntilPayable(database, 1, [TOKEN]);
  const trade = startTrade(site, shop);
  closers.push(() => trade.stop());
  const emails = openEmails(site, shop, faults);
  const stage: Stage = { site, shop, trade, installation, faults, versions, emails, killed: [], round: 0 };
  const isRolledBack = await runRounds(stage, rounds);
  const tables = [before, (await readJobVersion(database.pool)) ?? 0] as const;
  const replaced = { ...installation.replaced };
  const isTried = undrained !== undefined && (await replaceUndrained(stage, undrained));
  return finish({ stage, rounds, tables, replaced, isRolledBack, ranUndrained: isTried || !versions.earlier.drains });
}

const adminUrl = process.env['COUNTERFOIL_DATABASE_URL'];
if (!adminUrl) throw new Error('COUNTERFOIL_DATABASE_URL is not set; run the drill with pnpm.');
const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, earlier: { type: 'string' } },
});
const faults = gatherFaults();
const closers: Closers = [];
try {
  const versions = await prepareVersions(values.earlier, closers);
  const { commit, schema, jobs } = versions.earlier;
  console.log(`${commit.slice(0, 12)} knows version ${formatVersion(schema)} and job tables of version ${jobs}`);
  const undrained = values.quick ? undefined : await prepareUndrained(closers);
  const rounds = values.quick ? ROUNDS.quick : ROUNDS.full;
  const figures = await withTemporaryDatabase(adminUrl, async (url) => {
    const { database, close } = openWithRoles(url, CONNECTIONS, 'counterfoil-drill');
    const processes: Closers = [close];
    try {
      return await runDrill({ url, database, versions, undrained, rounds, faults }, processes);
    } finally {
      await closeAll(processes);
    }
  });
  for (const line of describeFaults(faults)) console.log(line);
  if (faults.all().length > 0) process.exitCode = 1;
  console.log(JSON.stringify(figures));
} finally {
  await closeAll(closers);
}
