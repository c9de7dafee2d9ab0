import type { Address, Hex } from 'viem';
import type { Anvil } from './anvil.ts';
import { FAUCET, sendLast } from './sender.ts';
import type { LookAlike } from './tron-block.ts';
import { MARKERS } from './tron-block.ts';

/** Something that JSON-RPC shows as so much value for `to`, though no TRX moves: left in the pool, answers its hash. */
export function poseAsCoin(
  chain: Anvil,
  kind: LookAlike,
  { to, units, from = FAUCET }: { to: Address; units: bigint; from?: Address },
): Promise<Hex> {
  return sendLast(chain, [{ from, to, data: MARKERS[kind], value: units }]);
}
