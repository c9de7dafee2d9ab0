import { promises as dns } from 'node:dns';

/** All addresses of a host name; it throws when there are none. */
export type Resolver = (hostname: string) => Promise<string[]>;

/** As the machine resolves names, with its hosts file. Every question holds one of the few threads of the process. */
export const systemResolver: Resolver = async (hostname) => {
  const entries = await dns.lookup(hostname, { all: true });
  return entries.map((entry) => entry.address);
};

export type DnsResolverOptions = {
  /** Of one question to one server. */
  timeoutMs: number;
  tries: number;
  /** Those of the machine, unless told. */
  servers?: readonly string[];
};

/** Asks name servers without holding a thread, so that names whose servers are slow on purpose delay only themselves. */
export function createDnsResolver(options: DnsResolverOptions): Resolver {
  const client = new dns.Resolver({ timeout: options.timeoutMs, tries: options.tries });
  if (options.servers) client.setServers(options.servers);
  return async (hostname) => {
    const [ipv4, ipv6] = await Promise.allSettled([client.resolve4(hostname), client.resolve6(hostname)]);
    const addresses = [ipv4, ipv6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length === 0 && ipv4.status === 'rejected') throw ipv4.reason;
    return addresses;
  };
}
