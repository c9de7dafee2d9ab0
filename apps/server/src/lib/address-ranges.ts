import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const FULL_BITS = { 4: 32, 6: 128 } as const;

/** Tests whether an IP address is in `ranges`: addresses and CIDR ranges, validated by the configuration. */
export function createAddressRanges(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits] = range.split('/');
    const family = isIP(network) === 4 ? 4 : 6;
    list.addSubnet(network, bits === undefined ? FULL_BITS[family] : Number(bits), `ipv${family}`);
  }
  return (address) => {
    if (!ipaddr.isValid(address)) return false;
    const plain = ipaddr.process(address);
    return list.check(plain.toString(), plain.kind());
  };
}
