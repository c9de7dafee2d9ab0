import { z } from 'zod';

/** A setting of the environment: how its text is read, and what is known about it. */

export type Variables = Record<string, string | undefined>;

type SettingFacts = {
  /** What the setting does, as docs/configuration.md says it. */
  meaning: string;
  /** Words for the column of defaults, where the schema does not say all of it. */
  fallback?: string;
  /** Whether the value may hold a password or a key. It is never printed, and can be in a file instead. */
  secret?: boolean;
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

// Numbers are not read by z.coerce, which would read an empty setting as zero.
export const wholeNumber = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(minimum).max(maximum));

export const portNumber = wholeNumber(0, 65_535);

export const webAddress = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/{1,8}$/, ''));

export const databaseAddress = z.string().regex(/^postgres(ql)?:\/\//, 'must be a postgresql:// address');

export const addressRanges = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  )
  .pipe(
    z.array(z.union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()], 'must be a comma-separated list of CIDR ranges')),
  );
