import type { z } from 'zod';
import { isPlain } from '../lib/plain-url.ts';
import { ConfigError } from './config-error.ts';
import { readSecretFiles } from './read-secret-files.ts';
import type { Variables } from './setting.ts';
import { factsOf, splitAddresses, webAddress } from './setting.ts';
import { ALL_SETTINGS } from './settings.ts';

type SettingShape = Record<string, z.ZodType>;

/** A process's own settings, and the names of network settings. */
export type ReadSettings<Shape extends SettingShape> = { own: z.ZodObject<Shape>; chains: readonly string[] };

export function namesIn({ own, chains }: ReadSettings<SettingShape>): string[] {
  return [...Object.keys(own.shape), ...chains];
}

type ParsedSettings<Values> = {
  /** Valid settings; invalid ones are missing despite the type. */
  values: Values;
  /** All values, including those from files. */
  variables: Variables;
  production: boolean;
  faults: string[];
};

export function isSecret(name: string): boolean {
  const known = ALL_SETTINGS[name];
  return known !== undefined && factsOf(known).secret === true;
}

/** Settings that are not for production: with some, false payments would count as real. */
function findRefused(names: readonly string[], variables: Variables): string[] {
  return names.flatMap((name) => {
    const known = ALL_SETTINGS[name];
    const refused = known && factsOf(known).refused;
    const value = variables[name];
    if (!refused || value === undefined || value === refused.except) return [];
    return [`${name}: ${refused.why}`];
  });
}

/** Unencrypted nodes and price sources: anyone in between could fake payments and prices. */
function findPlain(names: readonly string[], variables: Variables): string[] {
  return names
    .filter((name) => {
      const known = ALL_SETTINGS[name];
      return known !== undefined && factsOf(known).encrypted === true;
    })
    .filter((name) =>
      splitAddresses(variables[name] ?? '').some((url) => webAddress.safeParse(url).success && isPlain(url)),
    )
    .map((name) => `${name}: must be https, but for hosts in your own network`);
}

function faultsOfValue(name: string, value: string | undefined, issues: readonly z.core.$ZodIssue[]): string[] {
  if (value === undefined) return [`${name}: is required`];
  return issues.map(({ path, message }) => `${[name, ...path].join('.')}: ${message}`);
}

/** Collects all faults of all settings. A fault never repeats a value, which could be a password. */
export function parseSettings<Shape extends SettingShape>(
  settings: ReadSettings<Shape>,
  given: Variables,
): ParsedSettings<z.output<z.ZodObject<Shape>>> {
  const { own } = settings;
  const names = namesIn(settings);
  const { variables, unread } = readSecretFiles(names.filter(isSecret), given);
  const faults = [...unread.values()];
  const production = variables['COUNTERFOIL_ENVIRONMENT'] !== 'development';
  const schemas: Readonly<Record<string, z.ZodType>> = { ...ALL_SETTINGS, ...own.shape };
  const values: Record<string, unknown> = {};
  for (const name of names) {
    const parsed = schemas[name]?.safeParse(variables[name]);
    if (parsed?.success) values[name] = parsed.data;
    else if (!unread.has(name)) faults.push(...faultsOfValue(name, variables[name], parsed?.error.issues ?? []));
  }
  if (production) faults.push(...findRefused(names, variables), ...findPlain(names, variables));
  return { values: values as z.output<z.ZodObject<Shape>>, variables, production, faults };
}

export function refuseFaults(faults: readonly string[]): void {
  if (faults.length > 0) throw new ConfigError(faults);
}
