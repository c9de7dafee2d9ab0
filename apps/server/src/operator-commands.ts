import { alarmCommands } from './audit/alarm-commands.ts';
import { invoiceCommands } from './invoices/invoice-commands.ts';
import { recheckCommands } from './invoices/recheck-commands.ts';
import { transferCommands } from './invoices/transfer-commands.ts';
import { ledgerCommands } from './ledger/ledger-commands.ts';
import { auditCommands } from './secrets/audit-commands.ts';
import { keyRingCommands } from './secrets/key-ring-commands.ts';
import { brandCommands } from './stores/brand-commands.ts';
import { storeCommands } from './stores/store-commands.ts';
import { accountCommands } from './transfers/account-commands.ts';
import { chainCommands } from './transfers/chain-commands.ts';
import { webhookCommands } from './webhooks/webhook-commands.ts';
import { walletCommands } from './wallets/wallet-commands.ts';
import type { Command } from './lib/command.ts';
import type { OperatorContext } from './secrets/operator.ts';

/** Everything that an operator can do at the command line, and how it is shown. */
export const OPERATOR_COMMANDS: readonly Command<OperatorContext>[] = [
  ...storeCommands,
  ...brandCommands,
  ...walletCommands,
  ...invoiceCommands,
  ...chainCommands,
  ...accountCommands,
  ...recheckCommands,
  ...transferCommands,
  ...webhookCommands,
  ...ledgerCommands,
  ...keyRingCommands,
  ...auditCommands,
  ...alarmCommands,
];

export function overview(): string {
  const width = Math.max(...OPERATOR_COMMANDS.map((one) => one.name.length));
  const lines = OPERATOR_COMMANDS.map((one) => `  ${one.name.padEnd(width)}  ${one.summary}`);
  return [
    'usage: counterfoil-admin NOUN VERB [--option value ...] [--json]',
    '',
    ...lines,
    '',
    'counterfoil-admin NOUN VERB --help shows its options.',
  ].join('\n');
}

export function helpOf(one: Command<OperatorContext>): string {
  const lines = Object.entries(one.options).map(([name, meaning]) => `  --${name} ${meaning}`);
  return [`counterfoil-admin ${one.name}`, one.summary, ...(lines.length > 0 ? ['', ...lines] : [])].join('\n');
}
