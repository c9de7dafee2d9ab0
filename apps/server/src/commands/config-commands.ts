import { z } from 'zod';
import { findUnknownSettings } from '../config/find-unknown-settings.ts';
import { faultsOf, PROCESS_NAMES } from '../config/server-process.ts';
import type { Variables } from '../config/setting.ts';
import { showSettings } from '../config/show-settings.ts';
import { command } from './command.ts';
import { CommandError } from './command-error.ts';

type ConfigContext = { variables: Variables };

const PROCESS_OPTION = PROCESS_NAMES.join('|');
const checkInput = z.object({ process: z.enum(PROCESS_NAMES).optional() });

const check = command<ConfigContext, typeof checkInput>('config check', {
  summary: 'Name everything that is wrong with the settings of this environment, without starting anything.',
  options: { process: `${PROCESS_OPTION}        (all)` },
  input: checkInput,
  run: async ({ variables }, { process }) => {
    const processes = process === undefined ? PROCESS_NAMES : [process];
    const faults = processes.map((name) => ({ name, faults: faultsOf(name, variables) }));
    const found = faults.filter((one) => one.faults.length > 0);
    const unknown = findUnknownSettings(variables);
    if (found.length + unknown.length === 0) return { valid_for: processes.join(', ') };
    const parts = [...found, ...(unknown.length > 0 ? [{ name: 'not known', faults: unknown }] : [])];
    const lines = parts.map(({ name, faults: named }) => `${name}:\n  ${named.join('\n  ')}`);
    throw new CommandError(lines.join('\n'));
  },
});

const printInput = z.object({ process: z.enum(PROCESS_NAMES) });

const print = command<ConfigContext, typeof printInput>('config print', {
  summary: 'Show every setting that a process reads, its value and where that comes from. Secrets are hidden.',
  options: { process: PROCESS_OPTION },
  input: printInput,
  run: async ({ variables }, { process }) =>
    Object.fromEntries(showSettings(process, variables).map(({ name, value, from }) => [name, `${value}  [${from}]`])),
});

export const configCommands = [check, print];
