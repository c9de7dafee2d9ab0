import { promises as dns } from 'node:dns';

/** Resolves a host name to all its addresses; throws when there are none. */
export type Resolver = (hostname: string) => Promise<string[]>;

/**
 * Resolves names as the machine does, with its hosts file. Every lookup takes one of the few threads of the process.
 */
export const systemResolver: Resolver = async (hostname) => {
  const entries = await dns.lookup(hostname, { all: true });
  return entries.map((entry) => entry.address);
};

type DnsResolverOptions = {
  /** Time limit of one question to one name server. */
  timeoutMs: number;
  tries: number;
  /** Addresses of the name servers to ask; by default those of the machine's configuration. */
  servers?: readonly string[];
};

/**
 * Creates a resolver that asks name servers without taking a thread, so that names whose servers are slow on purpose
 * delay only themselves.
 */
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
