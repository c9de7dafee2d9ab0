import type { Address, Hex } from 'viem';
import type { Anvil } from '../evm/anvil.ts';
import { FAUCET, sendLast } from '../evm/sender.ts';
import type { LookAlike } from './block.ts';
import { MARKERS } from './block.ts';

/**
 * Sends a transaction that JSON-RPC shows as coins for `to` although no TRX moves. The transaction stays in the pool;
 * returns its hash.
 */
export function poseAsCoin(
  chain: Anvil,
  kind: LookAlike,
  { to, units, from = FAUCET }: { to: Address; units: bigint; from?: Address },
): Promise<Hex> {
  return sendLast(chain, [{ from, to, data: MARKERS[kind], value: units }]);
}
