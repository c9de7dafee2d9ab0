import type { Anvil } from '../../rig/chains/evm/anvil.ts';
import { genesisOf } from '../../rig/chains/genesis.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import type { Fault } from './fault.ts';
import { catchUp } from './nodes.ts';
import type { World } from './world.ts';

/** What a worker meets that was started with wrong settings: no key ring, a provider of another chain, a node far behind. */

const POLL_MS = 200;

/** The webhook that is due meanwhile is that of a purchase of another fault. */
export function unusableRing(world: World): Fault {
  const { database } = world;
  const isDue = async () => {
    const { rows } = await database.pool.query(`select from deliveries where state = 'pending'`);
    return rows.length > 0;
  };
  return {
    name: 'the key ring cannot be read',
    raises: [{ alert: 'CounterfoilKeyRingUnusable' }, { alert: 'CounterfoilWebhooksStopped' }],
    plant: async () => {},
    remove: async () => {
      if (!(await isDue())) throw new Error('No webhook was due.');
      await world.writeRing();
    },
  };
}

/** Settings of a worker whose operator added a network at a node far behind, and a provider of another chain to ETH. */
export async function wrongProviders({ nodes }: World, behind: Anvil): Promise<Record<string, string>> {
  return {
    ...(await rightProviders(behind)),
    COUNTERFOIL_RPC_ETH: `${nodes.ETH.first.url},${nodes.BSC.anvil.url}`,
  };
}

export async function rightProviders(behind: Anvil): Promise<Record<string, string>> {
  return {
    COUNTERFOIL_RPC_POLYGON: behind.url,
    COUNTERFOIL_GENESIS_POLYGON: (await genesisOf(behind.url)) ?? '',
  };
}

const hasAlarm = async ({ database }: World, kind: string) =>
  (await database.pool.query('select from alarms where kind = $1', [kind])).rows.length > 0;

export const wrongChain = (world: World): Fault => ({
  name: 'a provider serves another chain',
  raises: [{ alert: 'CounterfoilWrongChain' }],
  plant: async () => {},
  remove: async () => {
    if (!(await hasAlarm(world, 'wrong-chain'))) throw new Error('The provider of another chain was not met.');
  },
});

async function isCurrent(database: World['database']): Promise<boolean> {
  const { rows } = await database.pool.query(
    `select from chains where network = 'POLYGON' and head_time > now() - interval '1 minute'`,
  );
  return rows.length > 0;
}

export const nodeBehind = ({ database }: World, behind: Anvil): Fault => ({
  name: 'a node is three hours behind',
  raises: [
    { alert: 'CounterfoilNetworkNotRead', labels: { network: 'POLYGON' } },
    { alert: 'CounterfoilCoverageOld', labels: { network: 'POLYGON' } },
  ],
  plant: async () => {},
  remove: async () => {
    await catchUp(behind);
    await waitUntil(() => isCurrent(database), { what: 'The network did not catch up.', pollMs: POLL_MS });
  },
});
