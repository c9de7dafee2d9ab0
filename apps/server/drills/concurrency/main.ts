import { parseArgs } from 'node:util';
import type { ServerProcess } from '../../rig/processes/server-process.ts';
import { startApi } from '../../rig/processes/server-process.ts';
import { gatherFaults } from '../../rig/report/faults.ts';
import type { DrillContext } from './creates.ts';
import { cutClients, raceManyStores, raceOneBalance, raceOneRequestId } from './creates.ts';
import { drillLedger } from './ledger.ts';
import { drillLimits } from './limits.ts';
import { withDrillDatabase } from '../../rig/database/drill-database.ts';

/** Races two real API processes on one database in every way that could cost money. */

const SIZES = {
  quick: { requestIdRounds: 4, balanceRounds: 2, cuts: 60 },
  full: { requestIdRounds: 20, balanceRounds: 6, cuts: 240 },
};
const PROCESSES = 2;
const MAX_FAULTS_SHOWN = 30;

type Row = Record<'part' | 'requests' | 'result', string | number>;

async function runDrill(context: DrillContext, quick: boolean) {
  const sizes = quick ? SIZES.quick : SIZES.full;
  const same = await raceOneRequestId(context, sizes.requestIdRounds);
  const balance = await raceOneBalance(context, sizes.balanceRounds);
  const mixed = await raceManyStores(context, sizes.balanceRounds);
  const cut = await cutClients(context, sizes.cuts);
  const limits = await drillLimits(context, quick);
  const imbalance = await drillLedger(context.database, context.faults);
  const total = (pick: (one: (typeof limits)[number]) => number) => limits.reduce((sum, one) => sum + pick(one), 0);
  const rows: Row[] = [
    {
      part: 'one request_id',
      requests: same.requests,
      result: `${sizes.requestIdRounds} invoices, ${same.replays} replays`,
    },
    { part: 'one balance', requests: balance.requests, result: `${balance.granted} of ${balance.expected} granted` },
    { part: 'many stores', requests: mixed.requests, result: `${mixed.granted} of ${mixed.expected} granted` },
    {
      part: 'clients cut',
      requests: cut.requests,
      result: `${cut.committedBeforeCut} had committed, each is one invoice`,
    },
    ...limits.map((one) => ({
      part: one.name,
      requests: one.requests,
      result: `${one.granted} of ${one.expected} granted in ${one.waves} waves`,
    })),
    { part: 'ledger', requests: '', result: `${imbalance} faults` },
  ];
  return {
    rows,
    figures: {
      invoices_per_request_id: Math.max(same.invoicesPerRequestId, cut.invoicesPerRequestId),
      replays: same.replays,
      granted: balance.granted + mixed.granted + total((one) => one.granted),
      granted_expected: balance.expected + mixed.expected + total((one) => one.expected),
      ledger_imbalance: imbalance,
      limit_excess: total((one) => one.excess),
      limit_shortfall: total((one) => one.shortfall),
    },
  };
}

function printRows(rows: readonly Row[]): void {
  for (const row of rows) {
    console.log(`${row.part.toString().padEnd(22)} ${row.requests.toString().padStart(6)}  ${row.result}`);
  }
}

/** Reports logged errors and ended processes as faults, even if every answer was right. */
function judgeServers(servers: readonly ServerProcess[], context: DrillContext): void {
  for (const server of servers) {
    if (server.child.exitCode !== null) context.faults.add(`a server ended with ${server.child.exitCode}`);
    const complaints = server.output().match(/.*"level":(?:50|60).*/g) ?? [];
    for (const line of complaints) context.faults.add(`a server logged ${line}`);
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
  await withDrillDatabase(async ({ url, database }) => {
    const settings = { COUNTERFOIL_LOG_LEVEL: 'warn', COUNTERFOIL_TRUSTED_PROXIES: '127.0.0.1/32' };
    const servers = await Promise.all(Array.from({ length: PROCESSES }, () => startApi(url, settings)));
    const context = { database, servers, faults: gatherFaults() };
    try {
      const { rows, figures } = await runDrill(context, values.quick);
      judgeServers(servers, context);
      printRows(rows);
      const faults = context.faults.all();
      for (const fault of faults.slice(0, MAX_FAULTS_SHOWN)) console.log(`FAULT ${fault}`);
      if (faults.length > MAX_FAULTS_SHOWN) console.log(`... and ${faults.length - MAX_FAULTS_SHOWN} more faults`);
      if (faults.length > 0 || figures.invoices_per_request_id !== 1) process.exitCode = 1;
      console.log(JSON.stringify(figures));
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
    }
  });
}

await main();
