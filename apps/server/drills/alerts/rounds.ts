import type { DrillArguments } from '../../rig/report/drill-arguments.ts';
import type { Closers } from '../../rig/site/site-processes.ts';
import { order } from './buy.ts';
import { acknowledgeAll } from './command.ts';
import type { Expected, Round } from './fault.ts';
import { frozenProvider, repeatedLogs, revertedPayment, silentProvider } from './faults-of-nodes.ts';
import { goneDatabase, goneProcesses } from './faults-of-processes.ts';
import { nodeBehind, rightProviders, unusableRing, wrongChain, wrongProviders } from './faults-of-settings.ts';
import { deadPrices, lockedOut, spraying, unkept } from './faults-of-surroundings.ts';
import { askForTopup, failedTopup, noRoom, otherVersion } from './faults-of-upkeep.ts';
import { startNodeBehind } from './nodes.ts';
import type { World } from './world.ts';

/** The rounds of the drill, in their order. */

type Rounds = {
  rounds: Round[];
  /** Kinds of alarms that the faults raise. */
  kinds: ReadonlySet<string>;
  /** Everything that the rounds of the whole drill raise. */
  covered: readonly Expected[];
};

async function makeManyFaults(world: World, closers: Closers): Promise<Round> {
  const { processes } = world;
  const behind = await startNodeBehind(closers);
  const reverted = await order(world, 'ETH');
  const repeated = await order(world, 'AVAX');
  const wrong = await wrongProviders(world, behind);
  const right = await rightProviders(behind);
  return {
    name: 'faults',
    mayRaise: ['CounterfoilWorkerDown', 'CounterfoilInstanceDown'],
    faults: [
      unusableRing(world),
      wrongChain(world),
      nodeBehind(world, behind),
      deadPrices(world),
      silentProvider(world),
      frozenProvider(world),
      repeatedLogs(world, repeated),
      revertedPayment(world, reverted),
      spraying(world),
      lockedOut(world),
      unkept(world),
      failedTopup(world),
    ],
    afterRemoving: async () => {
      await processes.stopWorker();
      await processes.startWorker(right);
      await acknowledgeAll(world);
    },
    beforePlanting: async () => {
      await world.breakRing();
      await processes.stopWorker();
      await askForTopup(world);
      await processes.startWorker(wrong);
    },
  };
}

const expectedOf = (rounds: readonly Round[]) => rounds.flatMap(({ faults }) => faults.flatMap(({ raises }) => raises));

/** All rounds, those of the quick drill, or the one of this name. */
export async function makeRounds(
  world: World,
  { quick, part }: Pick<DrillArguments, 'quick' | 'part'>,
  closers: Closers,
): Promise<Rounds> {
  const short = [goneProcesses(world), await makeManyFaults(world, closers), goneDatabase(world)];
  const all = [...short, otherVersion(world), noRoom(world)];
  const rounds = part === undefined ? (quick ? short : all) : all.filter(({ name }) => name === part);
  if (rounds.length === 0) throw new Error(`The parts are: ${all.map(({ name }) => name).join(', ')}.`);
  const kinds = expectedOf(rounds).flatMap(({ labels }) => labels?.['kind'] ?? []);
  return { rounds, kinds: new Set(kinds), covered: expectedOf(all) };
}
