import { freezeAnswers } from '../../rig/chains/evm/frozen-answers.ts';
import { makeFinal } from '../../rig/chains/evm/live-chain.ts';
import { headerAt, reorg } from '../../rig/chains/evm/reorg.ts';
import { changing } from '../../rig/chains/rpc-proxy.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import type { Purchase } from './buy.ts';
import { pay, untilCompleted } from './buy.ts';
import { unfreeze } from './command.ts';
import type { Fault } from './fault.ts';
import { sameDay } from './fault.ts';
import type { World } from './world.ts';

/** Chain nodes that go away, freeze, answer wrongly, or lose a payment. */

const POLL_MS = 200;

export const silentProvider = ({ nodes }: World): Fault => ({
  name: 'the second provider of AVAX goes away',
  raises: [sameDay('provider-silent')],
  plant: async () => nodes.AVAX.second.cut(),
  remove: async () => nodes.AVAX.second.mend(),
});

export const frozenProvider = ({ nodes }: World): Fault => ({
  name: 'the first provider of BSC freezes',
  raises: [sameDay('head-stalled')],
  plant: async () => nodes.BSC.first.answer(await freezeAnswers(nodes.BSC.anvil)),
  remove: async () => nodes.BSC.first.answerTruly(),
});

/** Every log is listed twice, also that of the payment of `purchase`. */
export const repeatedLogs = (world: World, purchase: Purchase): Fault => {
  const { first } = world.nodes[purchase.network];
  let repeated = 0;
  const repeat = changing(({ method }, result) => {
    if (method !== 'eth_getLogs' || !Array.isArray(result)) return result;
    repeated += result.length;
    return [...(result as unknown[]), ...(result as unknown[])];
  });
  return {
    name: `the first provider of ${purchase.network} lists logs twice`,
    raises: [sameDay('duplicate-logs')],
    plant: async () => {
      first.answer(repeat);
      await pay(world, purchase);
      await waitUntil(() => repeated > 0, { what: 'No log was listed twice.', pollMs: POLL_MS });
    },
    remove: async () => first.answerTruly(),
  };
};

export const revertedPayment = (world: World, purchase: Purchase): Fault => {
  const { anvil } = world.nodes[purchase.network];
  return {
    name: `a completed payment on ${purchase.network} is taken back`,
    raises: [
      { alert: 'CounterfoilPaymentReverted' },
      { alert: 'CounterfoilNetworkFrozen', labels: { network: purchase.network } },
    ],
    plant: async () => {
      const { number } = await headerAt(anvil, 'latest');
      await pay(world, purchase);
      await makeFinal(anvil);
      await untilCompleted(world, purchase);
      await reorg(anvil, (await headerAt(anvil, 'latest')).number - number);
    },
    remove: async () => void (await unfreeze(world, purchase.network)),
  };
};
