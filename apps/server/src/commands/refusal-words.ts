import { formatVersion } from '../db/compatibility.ts';
import type { RefusalCode, Refusals } from '../lib/refusal.ts';
import { Refusal } from '../lib/refusal.ts';
import { CommandError } from './command-error.ts';
import { TLS_FAULTS } from './tls-words.ts';

/** The command line's messages for refusals. */

type Words = { [Code in RefusalCode]: string | ((details: Refusals[Code]) => string) };

const effectOf = ({ startsOff }: { startsOff: boolean }) =>
  startsOff
    ? 'it would run with jobs off, and send no emails (docs/operations/incidents.md, "Jobs are off")'
    : 'its workers and dashboards would not start';

const WORDS: Words = {
  MERCHANT_UNKNOWN: ({ merchant }) => `There is no merchant ${merchant}.`,
  PLAN_UNKNOWN: ({ plan }) => `There is no plan ${plan}.`,
  PLAN_EXISTS: ({ plan }) => `The plan ${plan} already exists.`,
  PLAN_UNCHANGED: ({ plan }) => `The plan ${plan} already has these values.`,
  STORE_UNKNOWN: ({ store }) => `There is no store ${store}.`,
  STORE_TERMS_UNCHANGED: ({ store }) => `The store ${store} already has this.`,
  STORE_WITHOUT_SECRET: ({ storeId }) => `Store ${storeId} has no webhook secret: webhook rotate makes one.`,
  LOGO_TOO_LARGE: ({ maxBytes }) => `A logo may have at most ${maxBytes} bytes.`,
  LOGO_NOT_A_PICTURE: 'A logo must be a PNG, JPEG or WebP picture.',
  LOGO_OF_WRONG_SIZE: 'A logo must be 16 to 1024 pixels wide and high.',
  SUPPORT_URL_UNFIT: ({ maxCharacters }) =>
    `The address where payers find help must begin with https:// and have at most ${maxCharacters} characters.`,
  SUPPORT_MAIL_UNFIT: 'The support email address is not a valid email address.',
  API_KEY_ALONE: ({ store }) => `Store ${store} has only one API key.`,
  STORE_OFF_BY_OPERATOR: ({ store }) => `An operator switched off store ${store}: only an operator can switch it on.`,
  BALANCE_UNCHANGED: 'Nothing to credit.',
  BALANCE_TOO_LOW: 'The balance is lower than that.',
  TOP_UPS_NOT_SET_UP: 'No active store that can be paid is set up for top-ups. See store purpose.',
  TOP_UP_STORE_EXISTS: ({ live }) => `Another ${live ? 'live' : 'test'} store is already used for top-ups.`,
  TOO_MANY_TOPUPS: ({ most }) => `A store can request at most ${most} top-ups a day.`,
  TOPUP_UNKNOWN: ({ topup }) => `Top-up ${topup} is unknown.`,

  INVITATIONS_TOO_FAST: ({ minutes }) => `Too many invitations were sent. Try again in ${minutes} minutes.`,
  TOO_BUSY: ({ retryAfterSeconds }) => `The server is busy. Try again in ${retryAfterSeconds} s.`,
  TOO_MANY_ATTEMPTS: ({ minutes }) => `There were too many attempts. Try again in ${minutes} minutes.`,
  SIGN_IN_REFUSED: 'The email address or the password is wrong.',
  FACTOR_WRONG: 'The code is wrong or was already used.',
  FACTOR_NEEDED: 'A two-factor method is required.',
  TWO_FACTOR_REQUIRED: 'This merchant requires two-factor authentication.',
  STEP_UP_NEEDED: 'The user must confirm their identity again.',
  SESSION_ENDED: 'The session has ended.',
  SESSION_UNKNOWN: 'There is no such session.',
  PERSON_UNKNOWN: ({ person }) => `There is no person ${person}.`,
  PERSON_EXISTS: ({ mail }) => `A person with the email address ${mail} already exists.`,
  PASSWORD_UNFIT: ({ fault }) => `The password is ${fault.replace('-', ' ')}.`,
  LINK_INVALID: 'The link is unknown, was used, or is too old.',
  REGISTRATION_CLOSED: 'Registration is closed (COUNTERFOIL_REGISTRATION). An operator can create an account.',
  ADDRESS_TAKEN: 'Another user has this email address.',
  FACTOR_MISSING: 'The person has no two-factor method.',
  TOO_MANY_RESTORES: 'The restore was requested three times in seven days.',
  FACTOR_RESET_OPEN: 'A reset of the person’s two-factor methods is already in progress.',
  TOO_MANY_MERCHANTS: ({ most }) => `A user can open at most ${most} merchants.`,
  MERCHANT_WAITS: 'The merchant is not approved for live stores (merchant approve).',
  FACTORS_ARE_OWN: 'Users cannot reset their own two-factor methods.',
  TOTP_NOT_BEGUN: 'There is no authenticator app.',
  PASSKEY_UNKNOWN: 'There is no such passkey.',
  RECOVERY_CODES_UNCONFIRMED: 'The user has not confirmed having saved their recovery codes.',
  TOO_MANY_PASSKEYS: ({ most }) => `A person has at most ${most} passkeys.`,
  MEMBER_EXISTS: ({ person }) => `${person} is already a member.`,
  MEMBER_UNKNOWN: 'There is no such member.',
  ROLE_TOO_HIGH: ({ role }) => `Only an owner can grant or remove the role ${role}.`,
  INVITATION_UNKNOWN: 'The invitation is unknown, was used or withdrawn, or is too old.',
  TOO_MANY_INVITATIONS: ({ most }) => `A merchant can have at most ${most} pending invitations.`,
  FOLLOW_THE_MAIL: 'A new user must open the link in the email to the invited address.',
  INVITATION_FOR_ANOTHER: 'The invitation is for another email address.',
  LAST_OWNER: 'A merchant must have at least one owner.',
  OWNER_NEEDED: ({ until }) =>
    `A payment-method change that someone else requested is pending until ${until}: owners can be removed or demoted after ` +
    'it. method cancel or method lock ends it now.',
  OPERATORS_ONLY: 'Only operators can do this.',
  STORES_NOT_OFFERED: 'Members cannot create stores here: COUNTERFOIL_STORE_PLAN is not set.',
  TOO_MANY_STORES: ({ limit }) => `A merchant can create at most ${limit} stores.`,
  READ_ONLY_VIEW: 'A support session is read-only.',
  VIEW_UNKNOWN: ({ view }) => `There is no open view ${view}.`,
  NO_PERMISSION: ({ permission }) => `The role does not allow ${permission}.`,

  NETWORK_UNKNOWN: ({ network, known }) =>
    known ? `There is no network ${network}. Known: ${known.join(', ')}.` : `There is no network ${network}.`,
  TOKEN_UNKNOWN: ({ network, token }) => `${token} on ${network} is not in our list.`,
  ADDRESS_INVALID: ({ network, address }) => `${address} is not an address of ${network}.`,
  ADDRESS_OF_ANOTHER_MERCHANT: ({ address }) => `${address} belongs to another merchant.`,
  WALLET_EXISTS: ({ network, address }) => `The store already receives on ${network} at ${address}.`,
  WALLET_UNKNOWN: ({ network, address }) => `The store does not receive on ${network} at ${address}.`,
  TEST_STORE_ON_LIVE_NETWORK: ({ store }) => `${store} is a test store: it receives in the sandbox only.`,

  SANDBOX_NETWORK: ({ network }) => `${network} belongs to the sandbox: only test stores receive there.`,
  METHODS_LOCKED:
    'The payment methods of the merchant are locked: no method and no API key can be added until method unlock.',
  METHODS_NOT_LOCKED: 'The payment methods of the merchant are not locked.',
  METHOD_CHANGE_WAITS: ({ network, change }) =>
    `The change ${change} of the store on ${network} is already pending: use method cancel to cancel it.`,
  METHOD_CHANGE_UNKNOWN: ({ change }) => `There is no change ${change} of this store.`,
  METHOD_CHANGE_DECIDED: ({ change }) => `The change ${change} is no longer pending.`,
  TOO_MANY_METHOD_CHANGES: ({ most }) => `A merchant can request at most ${most} changes in 24 hours.`,
  UNLOCK_BY_REQUESTER: ({ hours }) =>
    `A user whose change was stopped by the lock cannot unlock within ${hours} hours of it.`,

  EXCHANGE_KEY_NEEDED: ({ network }) => `The account id of ${network} is read with its key: use exchange add.`,
  EXCHANGE_UNKNOWN: ({ network, known }) => `There is no exchange platform ${network}. Known: ${known.join(', ')}.`,
  EXCHANGE_ADDRESS_UNKNOWN: ({ network, known }) => `${network} has no such address. Known: ${known.join(', ')}.`,
  EXCHANGE_PASSPHRASE_NEEDED: ({ network }) => `A key of ${network} has a passphrase: put it on the third line.`,
  EXCHANGE_KEY_REFUSED: ({ network, fault }) => `The key of ${network} is refused (${fault}). It must be read-only.`,
  EXCHANGE_NOT_ANSWERING: ({ network, reason }) => `${network} does not answer: ${reason}`,
  EXCHANGE_ACCOUNT_UNKNOWN: ({ network, account }) => `No store receives at account ${account} of ${network}.`,
  EXCHANGE_ACCOUNT_STOPPED: ({ network, account }) => `Account ${account} of ${network} is already stopped.`,
  EXCHANGE_ACCOUNT_NOT_STOPPED: ({ network, account }) => `Account ${account} of ${network} is not stopped.`,

  EXCHANGE_RATE_UNAVAILABLE: ({ currency, reason }) =>
    `There is no exchange rate for ${currency} now (${reason}). See rate status.`,
  AMOUNT_OUT_OF_RANGE: ({ currency, exchangeRate }) =>
    `The amount must be worth 0.01 to 1,000,000 USD, at ${exchangeRate} USD for 1 ${currency}.`,
  NO_PAYMENT_METHOD: 'The store receives on no network yet: wallet add.',
  INSUFFICIENT_BALANCE: 'The balance of the store does not cover the fee: balance credit.',
  INVOICE_UNKNOWN: ({ transId }) =>
    transId === undefined ? 'There is no such invoice.' : `There is no invoice ${transId}.`,
  TOO_MANY_INVOICES: ({ retryAfterSeconds }) =>
    `The store has reached its limit of new invoices: try again in ${retryAfterSeconds} seconds.`,
  STORE_SWITCHED_OFF: 'The store or its merchant is switched off.',
  CALLBACK_UNFIT: ({ fault }) => `Webhooks of the store cannot be sent there (${fault}).`,
  INVOICE_PAID: 'The invoice is already paid.',
  INVOICE_EXPIRED: 'The invoice has already expired.',
  INVOICE_OF_TEST_STORE: 'The invoice belongs to a test store, which cannot receive real payments.',
  INVOICE_WITHOUT_PAYMENT: 'The invoice has no on-chain payment and will expire automatically.',
  INVOICE_ENDS_BY_ITSELF:
    'Its payment is on a network that is being read, so it ends automatically. transfer accept and transfer discard decide a disputed transfer.',
  INVOICE_PAID_ELSEWHERE: 'Another payment of it is on a network that is being read.',
  INVOICE_NOT_COVERED: 'It has not ended, or another network that it was quoted on is not read past its end.',
  INVOICE_CHANGED: 'Its payment is no longer there.',
  INVOICE_NOT_CANCELLABLE: ({ status }) =>
    `The invoice is ${status} and cannot be cancelled: it has ended, or a payment for it was seen.`,
  INVOICE_NOT_ENDED: ({ outcome, status }) => `It cannot be ${outcome}: it is ${status}.`,
  NETWORK_NOT_QUOTED: ({ transId, network }) => `${transId} was never quoted on ${network}.`,

  STORE_NOT_FOR_TESTS: 'The store is live: test actions are not possible.',
  CURSOR_UNKNOWN: () => 'The list has no such page.',
  METHOD_NOT_SELECTED: ({ refusal }) => `No payment method could be selected (${refusal}).`,
  TOO_MANY_ACTS: ({ most }) => `A test invoice accepts at most ${most} actions.`,
  TOO_MANY_TESTS: ({ retryAfterSeconds }) =>
    `The test store has reached its limit of requests: try again in ${retryAfterSeconds} seconds.`,
  TOO_MANY_FAULTS: ({ most }) => `A test store can have at most ${most} faults that have not started yet.`,

  TRANSFER_UNKNOWN: 'There is no such transfer to a watched address.',
  TRANSFER_NOT_IN_CHAIN: 'The transfer is no longer in the chain as we read it. chain rescan finds it if it is there.',
  TRANSFER_LEFT_CHAIN: 'The transfer is no longer in the chain.',
  TRANSFER_DISCARDED: 'The transfer is no longer in the chain as we read it: there is nothing to discard.',
  TRANSFER_CONFIRMED:
    'The transfer was confirmed by a second read: only a reorg can remove it, and that is handled automatically.',
  TRANSFER_NEEDS_NOBODY: 'The transfer is already confirmed.',
  TRANSFER_UNDECIDED_YET: ({ minutes }) => `It may still be decided automatically: try again in ${minutes} minutes.`,
  TRANSFER_PAYS_ALREADY: 'The transfer already pays an invoice.',
  TRANSFER_TO_ANOTHER_MERCHANT: "The transfer did not arrive at an address that was this merchant's at the time.",
  TRANSFER_DISMISSED: 'The transfer is already dismissed.',
  TRANSFER_NOT_DISMISSED: 'The transfer is not dismissed.',
  ATTACHMENT_WAITS: 'A request to attach the transfer to another invoice is pending: it is decided first.',
  TOPUP_NOT_COVERED:
    'The invoice belongs to a top-up, and less than its amount arrived: only an operator can attach it.',
  ATTACHMENT_UNKNOWN: 'Attachment request not found.',
  TOO_MANY_ATTACHMENTS: ({ most }) => `Members of a merchant can attach at most ${most} transfers in 24 hours.`,
  TRANSACTION_INVALID: ({ network, txId }) => `${txId} is not a transaction of ${network}.`,
  TRANSACTION_READ_BY_ACCOUNT: ({ network }) =>
    `All transfers to an account of ${network} are read: use invoice recheck.`,
  TRANSACTION_NOT_AWAITED: ({ network, account, txId }) => `${account} on ${network} does not wait for ${txId}.`,

  NETWORK_FROZEN: ({ network }) => `${network} is frozen.`,
  DATABASE_WENT_BACK:
    'The database is older than the mark of a worker: run restore begin, or state --nothing-lost yes. See docs/alarms.md#database-went-back.',
  RESTORE_IN_FUTURE: 'The loss cannot begin in the future.',
  NETWORK_NOT_FROZEN: ({ network }) => `${network} is not frozen.`,
  NETWORK_UNDOES_REORGS: ({ network }) => `${network} is not frozen: its reader undoes a reorg automatically.`,
  NETWORK_NOT_FOLLOWED: ({ network }) => `${network} is not followed.`,
  NETWORK_WITHOUT_NODE: ({ network }) => `COUNTERFOIL_RPC_${network} is not set.`,
  NETWORK_REORGANISED: ({ network }) => `${network} was reorganised in the meantime. Run the command again.`,
  NETWORK_READ_LESS: ({ network, height }) => `${network} was read only up to ${height}.`,
  BLOCK_NOT_HELD: ({ network, height }) => `No stored block of ${network} is at ${height} or above.`,
  BLOCK_NOT_AGREED: ({ height }) => `Nodes do not agree on block ${height}.`,
  BLOCK_DISPUTED: ({ first, second, height }) =>
    `${first} and ${second} disagree on whether block ${height} is in our chain.`,
  PROVIDER_UNKNOWN: ({ provider, known }) => `There is no provider ${provider}. Known: ${known.join(', ')}.`,
  PROVIDER_ALONE: ({ provider, said }) =>
    `Only ${provider} answers (${said}). Try again when another does, or trust it with --trust-provider ${provider}.`,
  PROVIDER_NOT_OURS: ({ provider, height }) =>
    `${provider} does not show our stored block at ${height}: its answers are not accepted.`,
  PROVIDER_ALONE_BELOW_HEADERS: ({ provider }) =>
    'The range is below every stored header, and only one provider is configured. Configure a second one, ' +
    `or trust it with --trust-provider ${provider}.`,

  EXPORT_UNKNOWN: ({ export: code }) => `There is no export ${code}.`,
  EXPORT_NOT_READY: ({ state }) => `The export is ${state}.`,
  EXPORT_FAILED: ({ fault }) => `The export failed: ${fault.replaceAll('-', ' ')}.`,
  EXPORT_EXPIRED: 'The file of the export was deleted.',
  EXPORT_TOO_WIDE: ({ most }) => `An export covers at most ${most} stores.`,
  EXPORTS_UNDER_WAY: ({ most }) => `A merchant can have at most ${most} exports in progress.`,
  EXPORTS_TOO_LARGE: ({ mostBytes }) => `The exports of a merchant can have at most ${mostBytes} bytes together.`,
  TOO_MANY_EXPORTS: ({ most }) => `At most ${most} exports of a merchant are kept.`,

  CALLBACK_INVALID: ({ maxCharacters }) => `--url: must be an http or https URL of at most ${maxCharacters} characters`,
  CALLBACK_UNKNOWN: 'This store has no callback URL yet: set one with --url.',
  EVENT_ERASED: 'The event is too old to be resent: its body was erased after the retention period.',
  EVENT_PENDING: 'The event still has attempts left.',
  EVENT_UNKNOWN: 'No event of this store matches.',
  TOO_MANY_EVENTS: ({ most }) => `More than ${most} events match: choose a shorter period.`,
  TOO_MANY_REDELIVERIES: ({ most, hours }) =>
    `Members can request at most ${most} deliveries of a store in ${hours} hours.`,
  ENDPOINT_UNKNOWN: ({ endpoint }) => `This store has no webhook endpoint ${endpoint}.`,
  ENDPOINT_DISABLED: ({ endpoint }) => `The webhook endpoint ${endpoint} is disabled: enable it first.`,
  ENDPOINT_UNCHANGED: ({ endpoint }) => `The webhook endpoint ${endpoint} already is as requested.`,
  ENDPOINT_WITHOUT_SECRET: ({ endpointId }) => `The webhook endpoint ${endpointId} has no secret: rotate it.`,
  TOO_MANY_ENDPOINTS: ({ most }) => `A store can have at most ${most} webhook endpoints.`,
  TOO_MANY_TEST_EVENTS: ({ most }) => `Members can send at most ${most} test events of a store in an hour.`,

  SECRET_ABANDONED: 'This secret was abandoned because its key was lost: create a new one.',
  RING_MISSING: ({ path }) => `There is no key ring at ${path}: restore it, or create the first one with keyring init.`,
  RING_NOT_READABLE: ({ path }) => `The key ring ${path} cannot be opened: its permissions exclude this process.`,
  RING_OPEN_TO_OTHERS: ({ path }) =>
    `The key ring ${path} can be read by others: chmod 600 it, or 640 as a file of root and of the group that reads it.`,
  RING_DAMAGED: ({ path }) => `The key ring ${path} is not a key ring, or damaged.`,
  RING_EMPTY: ({ path }) => `The key ring ${path} contains no key.`,
  RING_EXISTS: ({ path }) => `${path} exists already. To add a key, use keyring add.`,
  RING_KNOWN: 'The database already has a key ring: restore its file. A new one cannot open the sealed secrets.',
  RING_UNKNOWN: 'The database has no key ring: create one with keyring init.',
  RING_UNKNOWN_YET: 'The database has no key ring yet.',
  RING_NOT_READ_YET: 'The key ring has not been read yet.',
  RING_INCOMPLETE: ({ keys }) =>
    `The ring lacks ${keys.join(', ')}, which the database has, so it is not written: bring the file up to date, or remove lost keys with keyring retire or keyring abandon.`,
  RING_LACKS_KEY: ({ key }) => `The key ring lacks key ${key}, which sealed the stored secrets.`,
  RING_COPY_DIFFERS: ({ path }) =>
    `The digest does not match the present content of ${path}: back the file up again, then pass the SHA-256 of the backup (sha256sum).`,
  RING_HOLDERS_LACK_KEY: ({ key, holders, more }) =>
    `${holders.length + more} processes run without key ${key}: ${holders.join(', ')}. Copy the ring to them; they report every 10 s, and a stopped one is ignored after 60 s.`,
  KEY_MALFORMED: ({ key }) => `Key ${key} of the ring has the wrong length.`,
  KEY_WRONG: ({ key }) => `Key ${key} of the ring is not the key that sealed the stored secrets.`,
  KEY_UNKNOWN: ({ key }) => `There is no key ${key}.`,
  KEY_NOT_IN_DATABASE: ({ key }) => `The database has no key ${key}.`,
  KEY_NOT_ADDED: ({ key }) => `The database has no key ${key}: add one with keyring add.`,
  KEY_SEALS: ({ key }) => `Key ${key} seals new secrets: run keyring reseal with another one first.`,
  KEY_IN_USE: ({ key }) => `Key ${key} still seals secrets: run keyring reseal again.`,
  KEY_IN_RING: ({ key, path }) => `Key ${key} is not lost: the ring at ${path} has it.`,
  KEY_HELD: ({ key, holder }) => `Key ${key} is not lost: ${holder} has it.`,
  AUDIT_HEAD_MALFORMED: 'A head is POSITION:DIGEST as in a log line, or POSITION:NUMBER of both metrics.',
  AUDIT_LINKS_GONE: 'The links of the audit chain are gone: find out why, then run audit begin.',
  AUDIT_SECRET_LOST:
    'The secret of the previous chain cannot be opened. If it is permanently lost, confirm with --lost yes.',

  ALARM_UNKNOWN: ({ alarm }) => `There is no alarm ${alarm}.`,
  ALARM_ACKNOWLEDGED: ({ alarm, by, at }) => `Alarm ${alarm} was acknowledged by ${by} at ${at}.`,

  MAIL_NOT_SET_UP: 'This server sends no email (COUNTERFOIL_MAIL_URL).',
  MAIL_ADDRESS_INVALID: ({ address }) => `${JSON.stringify(address)} is not a valid email address.`,

  DATABASE_TLS: ({ fault }) => `The database is not used: ${TLS_FAULTS[fault]}`,
  DATABASE_ROLE_UNFIT: ({ user, role, faults }) =>
    [
      `The database role ${user} does not fit this process:`,
      ...faults.map((fault) => `  it ${fault}`),
      `Run main-migrate with --roles and connect as ${role}, as docs/operations/install.md shows.`,
    ].join('\n'),
  DATABASE_SESSIONS_SHARED:
    'A pooler in front of the database shares its sessions between connections. ' +
    'Set it to session mode, as docs/operations/install.md shows, or connect directly.',
  DATABASE_ENCODING_UNFIT: ({ encoding }) =>
    `The database has the encoding ${encoding}; Counterfoil needs UTF8. Create it with createdb -E UTF8 -T template0, ` +
    'and restore a dump into it if it holds data.',
  LOGIN_UNFIT: ({ fault }) => `An address that was given with --login ${fault}.`,
  LOGIN_REFUSED: ({ role }) =>
    `The password of ${role} was set, but the database still rejects it: check pg_hba.conf for how this host may connect.`,
  DATABASES_DIFFER:
    'COUNTERFOIL_VIEWS_DATABASE_URL and COUNTERFOIL_DATABASE_URL lead to two databases, so users would see ' +
    'data of others. Set both to one database on its primary, each with its own role.',
  MIGRATION_LOCKED: 'Another process has been migrating for hours. Check what it is waiting for.',
  MIGRATION_CHANGED: ({ migration }) => `Migration ${migration} of the database differs from the one in this version.`,
  SCHEMA_NEWER: ({ migration, needs, version }) =>
    `The database schema is newer than this version: ${migration} needs version ${needs} or later, this is ` +
    `version ${version}. Upgrade the server.`,
  SCHEMA_BEHIND: 'The database schema is behind this version. Run the migrations first.',
  ROLLBACK_VERSION_UNKNOWN: ({ given, oldest, newest }) =>
    `${JSON.stringify(given)} is not a known version. Give the number of the newest migration of that version, ` +
    `from ${formatVersion(oldest)} to ${formatVersion(newest)}: its --version shows it as "schema", and its newest file in ` +
    'apps/server/src/db/migrations begins with it.',
  ROLLBACK_REFUSED: ({ version, obstacle, jobs }) =>
    [
      `Version ${formatVersion(version)} cannot replace this version:`,
      ...(obstacle ? [`  ${obstacle.migration} needs version ${formatVersion(obstacle.needs)} or later`] : []),
      ...(jobs
        ? [`  the job tables have version ${jobs.tables}, and it supports ${jobs.supported}: ${effectOf(jobs)}`]
        : []),
    ].join('\n'),
  JOB_UNKNOWN: ({ job }) => `There is no job ${job}.`,
  JOB_NOT_WAITING: ({ state }) => `It is ${state}: neither failed nor waiting for its next attempt.`,
  EXPORT_NOT_RETRIED: 'A failed export is not repeated: the person who asked for it requests it again.',
  JOBS_OFF: ({ version, known }) =>
    `Jobs are off: the job tables have version ${version}, and this process supports ${known}. What it would send waits ` +
    'for a worker that supports them. Jobs come back without a restart.',
  JOBS_NOT_INSTALLED: 'The tables of jobs are not in the database. Run the migrations again.',
  JOBS_WITHOUT_SCHEMA:
    'The schema of jobs does not exist yet, and the owner role may not create it: run main-migrate with --roles once.',
};

export function wordRefusal<Code extends RefusalCode>({ code, details }: Refusal<Code>): string {
  const words: Words[Code] = WORDS[code];
  return typeof words === 'string' ? words : words(details);
}

/**
 * Turns a refusal into an error with the command line's message. Processes that refuse to start use the same messages.
 */
export async function inOperatorWords<Outcome>(work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } catch (cause) {
    throw cause instanceof Refusal ? new CommandError(wordRefusal(cause)) : cause;
  }
}
