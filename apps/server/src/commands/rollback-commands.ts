import { z } from 'zod';
import { formatVersion } from '../db/compatibility.ts';
import { checkRollback } from '../doctor/check-rollback.ts';
import { command } from './command.ts';
import type { OperatorContext } from './operator-context.ts';

const input = z.object({ to: z.string() });

const rollbackCheck = command<OperatorContext, typeof input>('rollback check', {
  summary: 'Whether an earlier version could run on this database, and why not; changes nothing.',
  options: { to: 'NUMBER         the newest migration of that version, such as 0060; its --version shows it' },
  input,
  run: async (context, { to }) => {
    const { version, tables } = await checkRollback(context, to);
    return { version: formatVersion(version), schema: 'supported', jobs: `supported (version ${tables ?? 'none'})` };
  },
});

export const rollbackCommands = [rollbackCheck];
