import { checksumAddress, isEvmAddress } from '@counterfoil/core/evm-address.ts';
import { remember } from '../../lib/bounded-map.ts';
import { SourceError } from '../chain-source.ts';

/** Addresses kept with their checksums: the second read of a range has the same senders as the first. */
const MAX_REMEMBERED = 10_000;

function checksum(address: string): string {
  if (!isEvmAddress(address)) throw new SourceError('inconsistent', 'A sender is not an address.');
  return checksumAddress(address);
}

/** Formats addresses with checksum, caching recent ones. Throws at malformed addresses. */
export function createChecksumAddress(): (address: string) => string {
  return remember(checksum, { max: MAX_REMEMBERED });
}
