import { promises as dns } from 'node:dns';

/** All addresses of a host name; throws when there are none. */
export type Resolver = (hostname: string) => Promise<string[]>;

/** Resolves like the machine, with its hosts file. A lookup occupies one of the process's few threads. */
export const systemResolver: Resolver = async (hostname) => {
  const entries = await dns.lookup(hostname, { all: true });
  return entries.map((entry) => entry.address);
};

type DnsResolverOptions = {
  /** Per query and name server. */
  timeoutMs: number;
  tries: number;
  /** Name servers; by default the machine's. */
  servers?: readonly string[];
};

/** A resolver that uses no thread, so that deliberately slow name servers delay only their own names. */
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
