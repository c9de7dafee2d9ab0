import { z } from 'zod';
import { command } from '../lib/command.ts';
import { OperatorError } from '../lib/errors.ts';
import type { OperatorContext } from '../secrets/operator.ts';
import { findLedgerFaults } from './ledger-store.ts';

const MAX_FAULTS = 100;
const nothing = z.object({});

const check = command<OperatorContext, typeof nothing>('ledger check', {
  summary: 'Recompute every balance from the entries alone.',
  options: {},
  input: nothing,
  run: async ({ database }) => {
    const faults = await findLedgerFaults(database.queries, MAX_FAULTS);
    if (faults.length > 0)
      throw new OperatorError(faults.map((fault) => `store ${fault.storeId}: ${fault.fault}`).join('\n'));
    return { ledger: 'balanced' };
  },
});

export const ledgerCommands = [check];
