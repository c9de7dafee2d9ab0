import { remember } from '../../lib/bounded-map.ts';
import { checksumAddress, isEvmAddress } from '../../networks/evm-address.ts';
import { SourceError } from '../chain-source.ts';

/** Both looks at a range ask for the same senders. */
const MAX_REMEMBERED = 10_000;

function checksum(address: string): string {
  if (!isEvmAddress(address)) throw new SourceError('inconsistent', 'A sender is not an address.');
  return checksumAddress(address);
}

/** Remembers those it has seen lately. Throws at what is no address. */
export function createChecksumAddress(): (address: string) => string {
  return remember(checksum, { max: MAX_REMEMBERED });
}
