import { z } from 'zod';
import { CommandError } from './command-error.ts';
import { command } from './command.ts';
import type { OperatorContext } from './operator-context.ts';
import { findLedgerFaults } from '../ledger/ledger-sql.ts';

const MAX_FAULTS = 100;
const nothing = z.object({});

const check = command<OperatorContext, typeof nothing>('ledger check', {
  summary: 'Recompute every balance from the entries alone.',
  options: {},
  input: nothing,
  run: async ({ database }) => {
    const faults = await findLedgerFaults(database.queries, MAX_FAULTS);
    if (faults.length > 0)
      throw new CommandError(faults.map((fault) => `store ${fault.storeId}: ${fault.fault}`).join('\n'));
    return { ledger: 'balanced' };
  },
});

export const ledgerCommands = [check];
