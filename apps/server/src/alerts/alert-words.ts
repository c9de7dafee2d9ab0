import type { AlarmKind } from '../audit/alarm.ts';

/** What alerts say of each kind of alarm; docs/alarms.md has more. */
export const ALERT_WORDS: Readonly<Record<AlarmKind, { means: string; todo: string }>> = {
  'account-history-missing': {
    means: 'No provider has the history that reading an account must start with. Invoices there stay open.',
    todo: 'Add a provider with more history to COUNTERFOIL_RPC_* of the network, and restart the workers.',
  },
  'attachment-failed': {
    means: 'A payment that a member asked to attach to an invoice could not be attached for about an hour.',
    todo: "Read the worker's log, then run inbox attach or have the member ask again.",
  },
  'clock-right': {
    means: 'The clock agrees with the networks again. Amounts are quoted again.',
    todo: 'Acknowledge this alarm and clock-wrong.',
  },
  'clock-wrong': {
    means: "The database's clock is wrong, so no new amounts are quoted and nobody can start a payment.",
    todo: 'Set the clock of the database host. No restart is needed.',
  },
  'database-mark-missing': {
    means: 'No worker has a mark that proves the database to be complete, so no amounts are quoted.',
    todo: 'Start a worker with its state folder. If the folder is lost and the database was not restored, run database accept.',
  },
  'database-went-back': {
    means: 'The database is older than the mark that a worker keeps outside of it. No amounts are quoted.',
    todo: 'Find out which minutes the database lost, and follow docs/alarms.md before you run database accept.',
  },
  'deep-reorg': {
    means:
      'A network was reorganized below every block that is stored. It is frozen, and nothing completes or expires there.',
    todo: 'Find a block height below the fork on which two providers agree, then run chain rescan.',
  },
  'doctor-found': {
    means: 'The hourly doctor run found a problem with the installation.',
    todo: 'Run doctor, fix what it reports, and run it again.',
  },
  'duplicate-logs': {
    means: 'A provider returned the same log more than once. The copies were dropped.',
    todo: 'Report it to the provider, and replace the provider if it continues.',
  },
  'event-missing': {
    means: 'An invoice ended without its event or delivery. Both were written again and are being sent.',
    todo: 'Find out what removed rows, then run webhook reconcile and ledger check.',
  },
  'exchange-account-silent': {
    means: 'An exchange account could not be read for ten minutes. Its invoices wait.',
    todo: "Run exchange check. If the platform and the key are fine, read the worker's log.",
  },
  'exchange-account-stopped': {
    means:
      'A payment that completed an invoice is gone from its exchange account. Nothing else completes or expires at that account.',
    todo: 'Ask the merchant to check the account, then run exchange start if the payment does not come back.',
  },
  'exchange-key-ends': {
    means: 'The API key of an exchange account expires within two weeks.',
    todo: 'Ask the merchant for a new read-only key and add it with exchange add.',
  },
  'exchange-key-refused': {
    means:
      'An exchange platform rejects an API key, or the key can do more than read. The account is no longer offered.',
    todo: 'Ask the merchant to fix or replace the key, then run exchange check or exchange add.',
  },
  'exchange-row-unclear': {
    means: 'An entry of an exchange account may be a payment but cannot be read. An invoice may wait for it.',
    todo: "Ask the merchant to look the entry up in the platform's app.",
  },
  'finality-stalled': {
    means: 'A network produces blocks, but none becomes final. Payments that need finality wait.',
    todo: 'Check whether the network reports an incident. If only your providers show it, use others.',
  },
  'found-late': {
    means: 'An invoice completed after it had expired. The merchant was notified with the late flag.',
    todo: 'Tell the merchant. If it happens often, find out why payments are found late.',
  },
  'head-stalled': {
    means: 'A provider or a whole network has stopped showing new blocks.',
    todo: 'Restart or replace the provider, or check whether the network has halted.',
  },
  'job-failed': {
    means: 'A background job, such as an email or an export, failed after its last attempt.',
    todo: 'Run job list --state failed and remove the cause. Then run job retry for emails; an export must be requested again.',
  },
  'jobs-off': {
    means: 'A process runs with jobs off because the job tables have another version. Its emails and exports wait.',
    todo: 'Keep one worker of the newer version running, or finish the upgrade.',
  },
  'logs-quiet': {
    means: "A token that is always busy shows no transfers in the newest blocks. A provider's log index may be down.",
    todo: 'Compare the provider with a block explorer, and replace it if it stays behind.',
  },
  'mail-refused': {
    means: 'The mail server permanently rejected an email, usually because the address does not exist.',
    todo: "Read the server's answer. If it is about the sender or spam, correct COUNTERFOIL_MAIL_FROM.",
  },
  'mail-server-unusable': {
    means: 'The mail server cannot be used. Emails are kept and retried for about half a day.',
    todo: 'Correct COUNTERFOIL_MAIL_URL and restart the workers. Send a test email with mail test, then retry the failed emails with job retry.',
  },
  'method-change-failed': {
    means: 'A scheduled change of a payment method could not be applied. The store receives where it did before.',
    todo: 'Tell the merchant, who can request the change again.',
  },
  'method-unsupported': {
    means: 'A provider lacks a method that reading needs. Unpaid invoices may stay open.',
    todo: 'Choose a plan or node that has the method, or add a provider that has it.',
  },
  'password-spraying': {
    means: 'Sign-ins were refused for unusually many email addresses: common passwords are being tried.',
    todo: 'Run security-events list --hours 1 --kind sign-in, and block the busiest network at your proxy.',
  },
  'payment-reverted': {
    means: 'The payment of a completed invoice is no longer in the chain. The network is frozen.',
    todo: 'If the payment returns, the network continues automatically. Otherwise tell the merchant, then run chain unfreeze.',
  },
  'provider-silent': {
    means: 'One provider of a network has not answered for a minute. The other one continues alone.',
    todo: 'Repair or replace the provider.',
  },
  'providers-disagree': {
    means: 'Two providers give answers that contradict each other. Coverage waits where they disagree.',
    todo: 'Compare both with a block explorer, and replace the one that is wrong.',
  },
  'rate-unavailable': {
    means: 'A currency has had no exchange rate for minutes, so invoices priced in it are refused.',
    todo: 'See rate status for the reason, and rate check for the sources. Merchants can price in USD meanwhile.',
  },
  'single-provider': {
    means: 'A network is read from one provider, so nothing checks its answers.',
    todo: 'Add a second provider to COUNTERFOIL_RPC_* of the network, and restart the workers.',
  },
  'slots-exhausted': {
    means: 'A store has no free amount left for new payments of one kind, so customers cannot choose it.',
    todo: 'Add another address to the store, or find out who opens so many invoices.',
  },
  'topup-failed': {
    means: "A merchant's top-up could not get an invoice within an hour.",
    todo: 'Check store purpose and wallet list of the receiving store, then ask the merchant to try again.',
  },
  'transfer-doubted': {
    means: 'One read shows a transfer, another does not, and no receipt decides it. Its invoice waits.',
    todo: 'Look the transaction up elsewhere, then run transfer accept or transfer discard.',
  },
  'unknown-transactions': {
    means:
      'A network carries transactions of a type that this version does not know. Coins moved by them are not seen.',
    todo: 'Upgrade to a version that knows the type.',
  },
  'unreadable-transaction': {
    means: 'A transaction of an account cannot be read from any provider. Invoices there do not expire.',
    todo: 'Run account unreadable, then add a newer provider or run account pass-by.',
  },
  'wrong-chain': {
    means: 'A provider serves another chain than its network. It is no longer asked.',
    todo: 'Correct its address in COUNTERFOIL_RPC_*, restart the workers, and find out how it got there.',
  },
};
