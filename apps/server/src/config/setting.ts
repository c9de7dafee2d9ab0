import { isIP } from 'node:net';
import { z } from 'zod';
import { isWebPort } from '../lib/web-port.ts';
import { holdMoreThan } from './count-addresses.ts';

/** A setting of the environment: how its text is read, and what is known about it. */

export type Variables = Record<string, string | undefined>;

type SettingFacts = {
  /** What the setting does, as docs/configuration.md says it. */
  meaning: string;
  /** Words for the column of defaults, where the schema does not say all of it. */
  fallback?: string;
  /** Whether the value may hold a password or a key. It is never printed, and can be in a file instead. */
  secret?: boolean;
  /** Whether production asks the addresses by https only, but for hosts in the operator's own network. */
  encrypted?: boolean;
  /** Why production refuses the setting, and the value that it takes all the same. */
  refused?: { why: string; except?: string };
};

const FACTS = z.registry<SettingFacts>();

export function setting<Schema extends z.ZodType>(schema: Schema, facts: SettingFacts): Schema {
  const own = schema.clone();
  FACTS.add(own, facts);
  return own;
}

export function factsOf(schema: z.ZodType): SettingFacts {
  const facts = FACTS.get(schema);
  if (!facts) throw new Error('A setting has no facts.');
  return facts;
}

/** The end of the names of settings that say where the file with a secret is. */
export const FILE_END = '_FILE';

/** A whole number in digits. Not read by z.coerce, which would read an empty text, as of a variable that is not set, as zero. */
export const wholeNumber = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(minimum).max(maximum));

export const portNumber = wholeNumber(0, 65_535);

/** The parts of a comma-separated list. */
export function splitAddresses(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Names of hosts, and addresses in brackets. URLs allow more signs in a name, such as those between two addresses. */
const HOST = /^([a-z0-9_-]+(\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])$/;

// A URL may hold line breaks, which are dropped when it is read: two addresses would become one.
export const webAddress = z
  .string()
  .trim()
  .regex(/^\S*$/, 'must be one address')
  .pipe(z.url({ protocol: /^https?$/, hostname: HOST }))
  .transform((url) => url.replace(/\/{1,8}$/, ''));

/** A base that paths are put behind and that is asked by requests, which cannot have a user in their address. */
export const askedBase = webAddress.refine((url) => {
  const { username, password, search, hash } = new URL(url);
  return `${username}${password}${search}${hash}` === '';
}, 'must have no user, no query and no fragment');

/** A URL that is called exactly as it is written. */
export const calledAddress = z
  .string()
  .trim()
  .regex(/^[^\s,]*$/, 'must be one URL')
  .pipe(z.url({ protocol: /^https?$/, hostname: HOST }))
  .refine((url) => {
    const { username, password } = new URL(url);
    return `${username}${password}` === '' && isWebPort(new URL(url));
  }, 'must have no user, and a port that a web server may have');

/** A last part that is a number makes a name an address, which resolvers complete: `0` is every address of a host. */
const NUMBER_LAST = /(^|\.)(\d+|0x[0-9a-f]*)\.?$/i;

export const listenAddress = z
  .string()
  .refine(
    (text) => isIP(text) !== 0 || (HOST.test(text.toLowerCase()) && !text.includes('[') && !NUMBER_LAST.test(text)),
    'must be an IP address without brackets, or a host name',
  );

export const databaseAddress = z.string().regex(/^postgres(ql)?:\/\//, 'must be a postgresql:// address');

export const addressRanges = z
  .string()
  .default('')
  .transform(splitAddresses)
  .pipe(
    z.array(z.union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()], 'must be a comma-separated list of CIDR ranges')),
  );

/** Proxies may be one in so many addresses: all private networks together are fewer, the halves of the world are not. */
const PROXIES_ONE_OF = 64n;

/** Ranges of proxies that are believed. Whoever is believed chooses the address that they are counted and limited by. */
export const proxyRanges = addressRanges.refine(
  (ranges) => !holdMoreThan(PROXIES_ONE_OF, ranges),
  'must be the addresses of your proxies alone, not nearly everybody',
);
