import { checksumAddress, isEvmAddress } from '../../networks/evm-address.ts';
import { SourceError } from '../chain-source.ts';

/** Both looks at a range ask for the same senders. */
const MAX_REMEMBERED = 10_000;

/** Remembers those it has seen lately. Throws at what is no address. */
export function createChecksumAddress(): (address: string) => string {
  const remembered = new Map<string, string>();
  return (address) => {
    const present = remembered.get(address);
    if (present !== undefined) return present;
    if (!isEvmAddress(address)) throw new SourceError('inconsistent', 'A sender is not an address.');
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    const shown = checksumAddress(address);
    remembered.set(address, shown);
    return shown;
  };
}
