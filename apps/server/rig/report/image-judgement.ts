/**
 * Judges what `pnpm drill image` has read of running containers, and names what is wrong with them. Pure. What could not be
 * read is a fault too, so that a drill that has seen nothing does not pass.
 */

/** What the kernel says about the first process of a container: who it is, and what it can change. */
export type Standing = {
  /** Undefined where the kernel's answer is not understood, as with the other numbers. */
  uid: number | undefined;
  gid: number | undefined;
  /** Number of the process in the container's own process namespace. */
  ownId: number | undefined;
  capabilities: bigint | undefined;
  rootIsReadOnly: boolean;
};

/** The last number of a line of the kernel's, which is the one that counts for files, or in the innermost namespace. */
function numberIn(status: string, name: string): number | undefined {
  const found = new RegExp(String.raw`^${name}:(?:\s+\d+)*\s+(\d+)$`, 'm').exec(status)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** Reads a standing from the files `status` and `mounts` of a process. */
export function parseStanding(status: string, mounts: string): Standing {
  const root = mounts.split('\n').find((line) => line.split(' ')[1] === '/');
  const capabilities = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1];
  return {
    uid: numberIn(status, 'Uid'),
    gid: numberIn(status, 'Gid'),
    ownId: numberIn(status, 'NSpid'),
    capabilities: capabilities === undefined ? undefined : BigInt(`0x${capabilities}`),
    rootIsReadOnly: (root?.split(' ')[3] ?? '').split(',').includes('ro'),
  };
}

export function findStandingFaults({ uid, gid, ownId, capabilities, rootIsReadOnly }: Standing): string[] {
  return [
    ...(uid === undefined || gid === undefined ? ['nobody knows as whom a process runs'] : []),
    ...(uid === 0 || gid === 0 ? ['a process runs as root'] : []),
    ...(capabilities === 0n ? [] : ['a process has capabilities']),
    ...(ownId === 1 ? [] : [`a process is number ${ownId} of its container`]),
    ...(rootIsReadOnly ? [] : ['the root can be written']),
  ];
}

export type ConnectedRole = {
  /** Kind of the process, from the `application_name` of its connections: api, worker, dashboard or views. */
  name: string;
  role: string;
};

/** Every name that processes give their connections; the dashboard has two. */
const CONNECTED = ['api', 'worker', 'dashboard', 'views'];

export function findRoleFaults(connections: readonly ConnectedRole[]): string[] {
  const missing = CONNECTED.filter((expected) => !connections.some(({ name }) => name === expected));
  const wrong = connections.filter(({ name, role }) => role !== `counterfoil_${name}`);
  return [
    ...missing.map((name) => `${name} is not connected`),
    ...wrong.map(({ name, role }) => `${name} is connected as ${role}`),
  ];
}

/** Judges an invoice by its state, and by the protocols that its merchant and customer spoke. */
export function findPurchaseFaults(status: string, protocols: readonly string[]): string[] {
  const isPaidOverHttps = status === 'completed' && protocols.length === 1 && protocols[0] === 'h2';
  return isPaidOverHttps
    ? []
    : [`an invoice is ${status} after ${protocols.join(' and ') || 'nothing'}, not paid over HTTPS`];
}
