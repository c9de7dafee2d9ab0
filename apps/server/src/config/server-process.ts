import type { z } from 'zod';
import { ConfigError } from './config-error.ts';
import type { ReadSettings } from './parse-settings.ts';
import { namesIn } from './parse-settings.ts';
import { API_SETTINGS, DASHBOARD_SETTINGS, OPERATOR_SETTINGS, WORKER_SETTINGS } from './process-settings.ts';
import { readApiConfig } from './read-api-config.ts';
import { readDashboardConfig } from './read-dashboard-config.ts';
import { readOperatorConfig } from './read-operator-config.ts';
import { readWorkerConfig } from './read-worker-config.ts';
import type { Variables } from './setting.ts';

/** Kinds of processes, with their settings. */

export const PROCESS_NAMES = ['api', 'worker', 'dashboard', 'admin'] as const;
export type ProcessName = (typeof PROCESS_NAMES)[number];

type ServerProcess = { settings: ReadSettings<Record<string, z.ZodType>>; read: (given: Variables) => unknown };

const PROCESSES: Record<ProcessName, ServerProcess> = {
  api: { settings: API_SETTINGS, read: readApiConfig },
  worker: { settings: WORKER_SETTINGS, read: readWorkerConfig },
  dashboard: { settings: DASHBOARD_SETTINGS, read: readDashboardConfig },
  admin: { settings: OPERATOR_SETTINGS, read: readOperatorConfig },
};

export function namesOf(process: ProcessName): string[] {
  return namesIn(PROCESSES[process].settings);
}

export function settingsOf(process: ProcessName): ReadSettings<Record<string, z.ZodType>> {
  return PROCESSES[process].settings;
}

/** Everything that would keep a process from starting. */
export function faultsOf(process: ProcessName, given: Variables): readonly string[] {
  try {
    PROCESSES[process].read(given);
    return [];
  } catch (cause) {
    if (cause instanceof ConfigError) return cause.faults;
    throw cause;
  }
}
