import type { z } from 'zod';
import { findPlainNodes } from './chain-settings.ts';
import { ConfigError } from './config-error.ts';
import { readSecretFiles } from './read-secret-files.ts';
import type { Variables } from './setting.ts';
import { factsOf } from './setting.ts';
import { ALL_SETTINGS } from './settings.ts';

type SettingShape = Record<string, z.ZodType>;

/** What a process reads: settings of its own, and the names of settings of networks. */
export type ReadSettings<Shape extends SettingShape> = { own: z.ZodObject<Shape>; chains: readonly string[] };

/** Names of all settings that are read. */
export function namesIn({ own, chains }: ReadSettings<SettingShape>): string[] {
  return [...Object.keys(own.shape), ...chains];
}

type ParsedSettings<Values> = {
  /** Values of the settings that are right: a wrong one is missing, though its type says that it is there. */
  values: Values;
  /** All texts, also those that were read from files. */
  variables: Variables;
  production: boolean;
  faults: string[];
};

export function isSecret(name: string): boolean {
  const known = ALL_SETTINGS[name];
  return known !== undefined && factsOf(known).secret === true;
}

/** Finds settings that are not for production: with some of them false payments would pass for real ones. */
function findRefused(names: readonly string[], variables: Variables): string[] {
  return names.flatMap((name) => {
    const known = ALL_SETTINGS[name];
    const refused = known && factsOf(known).refused;
    const value = variables[name];
    if (!refused || value === undefined || value === refused.except) return [];
    return [`${name}: ${refused.why}`];
  });
}

function faultsOfValue(name: string, value: string | undefined, issues: readonly z.core.$ZodIssue[]): string[] {
  if (value === undefined) return [`${name}: is required`];
  return issues.map(({ path, message }) => `${[name, ...path].join('.')}: ${message}`);
}

/**
 * Parses settings one by one and looks for every fault, so that an operator can correct all of them together. A fault
 * never repeats a value, which could be a password.
 */
export function parseSettings<Shape extends SettingShape>(
  settings: ReadSettings<Shape>,
  given: Variables,
): ParsedSettings<z.output<z.ZodObject<Shape>>> {
  const { own, chains } = settings;
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
  if (production) faults.push(...findRefused(names, variables), ...findPlainNodes(variables, chains));
  return { values: values as z.output<z.ZodObject<Shape>>, variables, production, faults };
}

export function refuseFaults(faults: readonly string[]): void {
  if (faults.length > 0) throw new ConfigError(faults);
}
