import { alarmCommands } from './alarm-commands.ts';
import { configCommands } from './config-commands.ts';
import { doctorCommand } from './doctor-command.ts';
import { mailCommands } from './mail-commands.ts';
import { invoiceCommands } from './invoice-commands.ts';
import { recheckCommands } from './recheck-commands.ts';
import { transferCommands } from './transfer-commands.ts';
import { jobCommands } from './job-commands.ts';
import { ledgerCommands } from './ledger-commands.ts';
import { auditCommands } from './audit-commands.ts';
import { keyRingCommands } from './key-ring-commands.ts';
import { brandCommands } from './brand-commands.ts';
import { memberCommands } from './member-commands.ts';
import { personCommands } from './person-commands.ts';
import { sessionCommands } from './session-commands.ts';
import { securityEventCommands } from './security-event-commands.ts';
import { priceCommands } from './price-commands.ts';
import { rateCommands } from './rate-commands.ts';
import { rateCheckCommand } from './rate-check-command.ts';
import { rollbackCommands } from './rollback-commands.ts';
import { merchantCommands } from './merchant-commands.ts';
import { planCommands } from './plan-commands.ts';
import { storeCommands } from './store-commands.ts';
import { accountCommands } from './account-commands.ts';
import { chainCommands } from './chain-commands.ts';
import { databaseCommands } from './database-commands.ts';
import { endpointCommands } from './endpoint-commands.ts';
import { restoreCommands } from './restore-commands.ts';
import { webhookCommands } from './webhook-commands.ts';
import { exchangeCommands } from './exchange-commands.ts';
import { methodCommands } from './method-commands.ts';
import { walletCommands } from './wallet-commands.ts';
import { supportCommand } from './support-command.ts';
import type { Command } from './command.ts';
import type { OperatorContext } from './operator-context.ts';

export const OPERATOR_COMMANDS: readonly Command<OperatorContext>[] = [
  ...planCommands,
  ...merchantCommands,
  ...storeCommands,
  ...personCommands,
  ...memberCommands,
  ...sessionCommands,
  ...securityEventCommands,
  ...brandCommands,
  ...walletCommands,
  ...exchangeCommands,
  ...methodCommands,
  ...invoiceCommands,
  ...chainCommands,
  ...databaseCommands,
  ...restoreCommands,
  ...accountCommands,
  ...priceCommands,
  ...rateCommands,
  ...recheckCommands,
  ...transferCommands,
  ...webhookCommands,
  ...endpointCommands,
  ...mailCommands,
  ...jobCommands,
  ...ledgerCommands,
  ...keyRingCommands,
  ...auditCommands,
  ...alarmCommands,
  ...rollbackCommands,
];

export function overview(): string {
  const all = [...OPERATOR_COMMANDS, ...configCommands, rateCheckCommand, doctorCommand, supportCommand];
  const width = Math.max(...all.map((one) => one.name.length));
  const lines = all.map((one) => `  ${one.name.padEnd(width)}  ${one.summary}`);
  return [
    'usage: counterfoil-admin NOUN VERB [--option value ...] [--json]',
    '',
    ...lines,
    '',
    'counterfoil-admin NOUN VERB --help shows its options, counterfoil-admin --version which version this is.',
  ].join('\n');
}

export function helpOf(one: Pick<Command<never>, 'name' | 'summary' | 'options'>): string {
  const lines = Object.entries(one.options).map(([name, meaning]) => `  --${name} ${meaning}`);
  return [`counterfoil-admin ${one.name}`, one.summary, ...(lines.length > 0 ? ['', ...lines] : [])].join('\n');
}
