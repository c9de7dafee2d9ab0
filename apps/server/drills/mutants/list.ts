import type { Mutant } from './mutant.ts';
import { ACCESS_MUTANTS } from './rows/access.ts';
import { ACCOUNTS_MUTANTS } from './rows/accounts.ts';
import { ALERT_MUTANTS } from './rows/alerts.ts';
import { ENDPOINT_MUTANTS } from './rows/endpoints.ts';
import { BETWEEN_MUTANTS } from './rows/between.ts';
import { CANCELS_MUTANTS } from './rows/cancels.ts';
import { CHAIN_PROOFS_MUTANTS } from './rows/chain-proofs.ts';
import { CHAIN_PROVIDERS_MUTANTS } from './rows/chain-providers.ts';
import { CHAIN_READING_MUTANTS } from './rows/chain-reading.ts';
import { CHAIN_TIERS_MUTANTS } from './rows/chain-tiers.ts';
import { CORE_MUTANTS } from './rows/core.ts';
import { RATE_MUTANTS } from './rows/rates.ts';
import { EXCHANGE_ACCOUNTS_MUTANTS } from './rows/exchange-accounts.ts';
import { INVOICE_CHANGES_MUTANTS } from './rows/invoice-changes.ts';
import { INVOICE_TRANSFERS_MUTANTS } from './rows/invoice-transfers.ts';
import { OPERATIONS_MUTANTS } from './rows/operations.ts';
import { PAYMENT_METHODS_MUTANTS } from './rows/payment-methods.ts';
import { PEOPLE_MUTANTS } from './rows/people.ts';
import { REPORTS_MUTANTS } from './rows/reports.ts';
import { RESTORE_MUTANTS } from './rows/restores.ts';
import { SANDBOX_MUTANTS } from './rows/sandbox.ts';
import { SOURCES_MUTANTS } from './rows/sources.ts';
import { STATEMENTS_MUTANTS } from './rows/statements.ts';
import { TAKEOVER_MUTANTS } from './rows/takeovers.ts';

/** Bugs that would cost money, and the test that must catch each. */
export const MUTANTS: readonly Mutant[] = [
  ...CHAIN_READING_MUTANTS,
  ...CHAIN_TIERS_MUTANTS,
  ...CHAIN_PROOFS_MUTANTS,
  ...CHAIN_PROVIDERS_MUTANTS,
  ...BETWEEN_MUTANTS,
  ...ENDPOINT_MUTANTS,
  ...SOURCES_MUTANTS,
  ...ACCOUNTS_MUTANTS,
  ...STATEMENTS_MUTANTS,
  ...EXCHANGE_ACCOUNTS_MUTANTS,
  ...INVOICE_CHANGES_MUTANTS,
  ...INVOICE_TRANSFERS_MUTANTS,
  ...CANCELS_MUTANTS,
  ...SANDBOX_MUTANTS,
  ...PAYMENT_METHODS_MUTANTS,
  ...PEOPLE_MUTANTS,
  ...ACCESS_MUTANTS,
  ...TAKEOVER_MUTANTS,
  ...OPERATIONS_MUTANTS,
  ...RESTORE_MUTANTS,
  ...ALERT_MUTANTS,
  ...REPORTS_MUTANTS,
  ...CORE_MUTANTS,
  ...RATE_MUTANTS,
];
