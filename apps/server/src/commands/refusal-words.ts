import { formatVersion } from '../db/compatibility.ts';
import type { RefusalCode, Refusals } from '../lib/refusal.ts';
import { Refusal } from '../lib/refusal.ts';
import { CommandError } from './command-error.ts';
import { TLS_FAULTS } from './tls-words.ts';

/** Messages of the command line for each refusal of a verb. */

type Words = { [Code in RefusalCode]: string | ((details: Refusals[Code]) => string) };

const effectOf = ({ startsOff }: { startsOff: boolean }) =>
  startsOff
    ? 'it would run with jobs off, and send no emails (docs/operations/incidents.md, "Jobs are off")'
    : 'its workers and dashboards would not start';

const WORDS: Words = {
  MERCHANT_UNKNOWN: ({ merchant }) => `There is no merchant ${merchant}.`,
  PLAN_UNKNOWN: ({ plan }) => `There is no plan ${plan}.`,
  PLAN_EXISTS: ({ plan }) => `There is a plan ${plan} already.`,
  PLAN_UNCHANGED: ({ plan }) => `The plan ${plan} already has these values.`,
  STORE_UNKNOWN: ({ store }) => `There is no store ${store}.`,
  STORE_TERMS_UNCHANGED: ({ store }) => `The store ${store} already has this.`,
  STORE_WITHOUT_SECRET: ({ storeId }) => `Store ${storeId} has no webhook secret: webhook rotate makes one.`,
  LOGO_TOO_LARGE: ({ maxBytes }) => `A logo may have at most ${maxBytes} bytes.`,
  LOGO_NOT_A_PICTURE: 'A logo must be a PNG, JPEG or WebP picture.',
  LOGO_OF_WRONG_SIZE: 'A logo must be 16 to 1024 pixels wide and high.',
  SUPPORT_URL_UNFIT: ({ maxCharacters }) =>
    `The address where payers find help must begin with https:// and have at most ${maxCharacters} characters.`,
  SUPPORT_MAIL_UNFIT: 'The mail address for payers is not a plain mail address.',
  API_KEY_ALONE: ({ store }) => `Store ${store} has one API key only.`,
  STORE_OFF_BY_OPERATOR: ({ store }) => `An operator switched store ${store} off: only an operator switches it on.`,
  BALANCE_UNCHANGED: 'Nothing to credit.',
  BALANCE_TOO_LOW: 'The balance does not hold that much.',
  TOP_UPS_NOT_SET_UP: 'There is no store for top-ups that is switched on and can be paid. See store purpose.',
  TOP_UP_STORE_EXISTS: ({ live }) => `Another ${live ? 'live' : 'test'} store is for top-ups already.`,
  TOO_MANY_TOPUPS: ({ most }) => `A store may ask for ${most} top-ups a day.`,
  TOPUP_UNKNOWN: ({ topup }) => `Top-up ${topup} is unknown.`,

  INVITATIONS_TOO_FAST: ({ minutes }) => `Too many invitations were sent. Try again in ${minutes} minutes.`,
  TOO_BUSY: ({ retryAfterSeconds }) => `The server is busy. Try again in ${retryAfterSeconds} s.`,
  TOO_MANY_ATTEMPTS: ({ minutes }) => `There were too many attempts. Try again in ${minutes} minutes.`,
  SIGN_IN_REFUSED: 'The mail address or the password is wrong.',
  FACTOR_WRONG: 'The code is wrong or was used already.',
  FACTOR_NEEDED: 'A second factor is needed.',
  TWO_FACTOR_REQUIRED: 'This merchant requires two-factor authentication.',
  STEP_UP_NEEDED: 'The person must prove again who they are.',
  SESSION_ENDED: 'The session has ended.',
  SESSION_UNKNOWN: 'There is no such session.',
  PERSON_UNKNOWN: ({ person }) => `There is no person ${person}.`,
  PERSON_EXISTS: ({ mail }) => `There is a person with the mail address ${mail} already.`,
  PASSWORD_UNFIT: ({ fault }) => `The password is ${fault.replace('-', ' ')}.`,
  LINK_INVALID: 'The link is unknown, was used, or is too old.',
  REGISTRATION_CLOSED: 'Nobody becomes a person here without an operator (COUNTERFOIL_REGISTRATION).',
  ADDRESS_TAKEN: 'Somebody else has this mail address.',
  FACTOR_MISSING: 'The person has no second factor.',
  TOO_MANY_RESTORES: 'The restore was requested three times in seven days.',
  FACTOR_RESET_OPEN: 'A reset of the second factors of this person is under way already.',
  FACTORS_ARE_OWN: 'Nobody resets their own second factors.',
  TOTP_NOT_BEGUN: 'There is no authenticator app.',
  PASSKEY_UNKNOWN: 'There is no such passkey.',
  TOO_MANY_PASSKEYS: ({ most }) => `A person has at most ${most} passkeys.`,
  MEMBER_EXISTS: ({ person }) => `${person} is a member already.`,
  MEMBER_UNKNOWN: 'There is no such member.',
  ROLE_TOO_HIGH: ({ role }) => `Only an owner gives or takes away the role ${role}.`,
  INVITATION_UNKNOWN: 'The invitation is unknown, was used, taken back, or is too old.',
  TOO_MANY_INVITATIONS: ({ most }) => `At most ${most} invitations of a merchant can wait.`,
  FOLLOW_THE_MAIL: 'A new person must follow the link that was mailed to the invited address.',
  INVITATION_FOR_ANOTHER: 'The invitation is for another mail address.',
  LAST_OWNER: 'A merchant has at least one owner.',
  OWNER_NEEDED: ({ until }) =>
    `A payment-method change that someone else requested is pending until ${until}: owners can be removed or demoted after ` +
    'it. method cancel or method lock ends it now.',
  OPERATORS_ONLY: 'Only those who run the service can do this.',
  STORES_NOT_OFFERED: 'Members create no stores here: COUNTERFOIL_STORE_PLAN is not set.',
  TOO_MANY_STORES: ({ limit }) => `A merchant creates at most ${limit} stores.`,
  READ_ONLY_VIEW: 'Somebody who only looks can change nothing.',
  VIEW_UNKNOWN: ({ view }) => `There is no open view ${view}.`,
  NO_PERMISSION: ({ permission }) => `The role does not allow ${permission}.`,

  NETWORK_UNKNOWN: ({ network, known }) =>
    known ? `There is no network ${network}. Known: ${known.join(', ')}.` : `There is no network ${network}.`,
  TOKEN_UNKNOWN: ({ network, token }) => `${token} on ${network} is not in our list.`,
  ADDRESS_INVALID: ({ network, address }) => `${address} is not an address of ${network}.`,
  ADDRESS_OF_ANOTHER_MERCHANT: ({ address }) => `${address} belongs to another merchant.`,
  WALLET_EXISTS: ({ network, address }) => `The store receives on ${network} at ${address} already.`,
  WALLET_UNKNOWN: ({ network, address }) => `The store does not receive on ${network} at ${address}.`,
  TEST_STORE_ON_LIVE_NETWORK: ({ store }) => `${store} is a test store: it receives in the sandbox only.`,

  SANDBOX_NETWORK: ({ network }) => `${network} belongs to the sandbox: only test stores receive there.`,
  METHODS_LOCKED:
    'The payment methods of the merchant are locked: no method and no API key can be added until method unlock.',
  METHODS_NOT_LOCKED: 'The payment methods of the merchant are not locked.',
  METHOD_CHANGE_WAITS: ({ network, change }) =>
    `The change ${change} of the store on ${network} is waiting already: method cancel takes it back.`,
  METHOD_CHANGE_UNKNOWN: ({ change }) => `There is no change ${change} of this store.`,
  METHOD_CHANGE_DECIDED: ({ change }) => `The change ${change} does not wait any more.`,
  TOO_MANY_METHOD_CHANGES: ({ most }) => `A merchant asks for at most ${most} changes in 24 hours.`,
  UNLOCK_BY_REQUESTER: ({ hours }) =>
    `Whoever asked for a change that the lock stopped cannot unlock within ${hours} hours of it.`,

  EXCHANGE_KEY_NEEDED: ({ network }) => `The account id of ${network} is read with its key: exchange add.`,
  EXCHANGE_UNKNOWN: ({ network, known }) => `There is no exchange platform ${network}. Known: ${known.join(', ')}.`,
  EXCHANGE_ADDRESS_UNKNOWN: ({ network, known }) => `${network} has no such address. Known: ${known.join(', ')}.`,
  EXCHANGE_PASSPHRASE_NEEDED: ({ network }) => `A key of ${network} has a passphrase: put it on the third line.`,
  EXCHANGE_KEY_REFUSED: ({ network, fault }) =>
    `The key of ${network} is refused (${fault}). It must be able to read, and nothing else.`,
  EXCHANGE_NOT_ANSWERING: ({ network, reason }) => `${network} gives no answer: ${reason}`,
  EXCHANGE_ACCOUNT_UNKNOWN: ({ network, account }) => `Nobody receives at account ${account} of ${network}.`,
  EXCHANGE_ACCOUNT_STOPPED: ({ network, account }) => `Account ${account} of ${network} is stopped already.`,
  EXCHANGE_ACCOUNT_NOT_STOPPED: ({ network, account }) => `Account ${account} of ${network} is not stopped.`,

  NO_PAYMENT_METHOD: 'The store receives on no network yet: wallet add.',
  INSUFFICIENT_BALANCE: 'The balance of the store does not cover the fee: balance credit.',
  INVOICE_UNKNOWN: ({ transId }) =>
    transId === undefined ? 'There is no such invoice.' : `There is no invoice ${transId}.`,
  TOO_MANY_INVOICES: ({ retryAfterSeconds }) =>
    `The store has created as many invoices as it may: try again in ${retryAfterSeconds} seconds.`,
  STORE_SWITCHED_OFF: 'The store or its merchant is switched off.',
  CALLBACK_UNFIT: ({ fault }) => `Webhooks of the store cannot be sent there (${fault}).`,
  INVOICE_PAID: 'The invoice is paid already.',
  INVOICE_EXPIRED: 'The invoice has expired already.',
  INVOICE_OF_TEST_STORE: 'The invoice is of a test store, which no money pays.',
  INVOICE_WITHOUT_PAYMENT: 'No payment of it stands in a chain: it expires by itself.',
  INVOICE_ENDS_BY_ITSELF:
    'Its payment is on a network that is read: it ends by itself. transfer accept and discard decide a transfer that is doubted.',
  INVOICE_PAID_ELSEWHERE: 'Another payment of it is on a network that is read.',
  INVOICE_NOT_COVERED: 'It has not ended, or another network that it was quoted on is not read past its end.',
  INVOICE_CHANGED: 'Its payment is gone meanwhile.',
  INVOICE_NOT_ENDED: ({ outcome, status }) => `It cannot be ${outcome}: it is ${status}.`,
  NETWORK_NOT_QUOTED: ({ transId, network }) => `${transId} was never quoted on ${network}.`,

  STORE_NOT_FOR_TESTS: 'The store is live: nothing is tested there.',
  METHOD_NOT_SELECTED: ({ refusal }) => `No payment method could be selected (${refusal}).`,
  TOO_MANY_ACTS: ({ most }) => `A test invoice takes at most ${most} acts.`,
  TOO_MANY_TESTS: ({ retryAfterSeconds }) =>
    `The test store was asked for as much as it may: try again in ${retryAfterSeconds} seconds.`,
  TOO_MANY_FAULTS: ({ most }) => `A test store has at most ${most} faults that have not begun yet.`,

  TRANSFER_UNKNOWN: 'There is no such transfer to a watched address.',
  TRANSFER_NOT_IN_CHAIN: 'The transfer is no longer in the chain as we read it. chain rescan finds it if it is there.',
  TRANSFER_LEFT_CHAIN: 'The transfer is no longer in the chain.',
  TRANSFER_DISCARDED: 'The transfer is no longer in the chain as we read it: there is nothing to discard.',
  TRANSFER_CONFIRMED:
    'The transfer was confirmed by a second question: only a reorg takes it away, and that is undone by itself.',
  TRANSFER_NEEDS_NOBODY: 'The transfer is confirmed already: nobody need vouch for it.',
  TRANSFER_UNDECIDED_YET: ({ minutes }) =>
    `Readers may still decide it by themselves: try again in ${minutes} minutes.`,
  TRANSFER_PAYS_ALREADY: 'The transfer pays an invoice already.',
  TRANSFER_TO_ANOTHER_MERCHANT: "The transfer did not arrive at an address that was this merchant's at the time.",
  TRANSFER_DISMISSED: 'The transfer is dismissed already.',
  TRANSFER_NOT_DISMISSED: 'The transfer is not dismissed.',
  ATTACHMENT_WAITS: 'Somebody has asked to attach the transfer to another invoice: this is decided first.',
  TOPUP_NOT_COVERED: 'The invoice is of a top-up, and less than its amount arrived: only an operator attaches that.',
  ATTACHMENT_UNKNOWN: 'Nobody asked for this.',
  TOO_MANY_ATTACHMENTS: ({ most }) => `Members of a merchant attach at most ${most} transfers in 24 hours.`,
  TRANSACTION_INVALID: ({ network, txId }) => `${txId} is no transaction of ${network}.`,
  TRANSACTION_READ_BY_ACCOUNT: ({ network }) =>
    `Everything that reaches an account of ${network} is read: use invoice recheck.`,
  TRANSACTION_NOT_AWAITED: ({ network, account, txId }) => `${account} on ${network} does not wait for ${txId}.`,

  NETWORK_FROZEN: ({ network }) => `${network} is frozen.`,
  NETWORK_NOT_FROZEN: ({ network }) => `${network} is not frozen.`,
  NETWORK_UNDOES_REORGS: ({ network }) => `${network} is not frozen: its reader undoes a reorg by itself.`,
  NETWORK_NOT_FOLLOWED: ({ network }) => `${network} is not followed.`,
  NETWORK_WITHOUT_NODE: ({ network }) => `COUNTERFOIL_RPC_${network} is not set.`,
  NETWORK_REORGANISED: ({ network }) => `${network} was reorganised meanwhile. Run it again.`,
  NETWORK_READ_LESS: ({ network, height }) => `${network} was read up to ${height} only.`,
  BLOCK_NOT_HELD: ({ network, height }) => `We hold no block of ${network} at ${height} or above.`,
  BLOCK_NOT_AGREED: ({ height }) => `Nodes do not agree on block ${height}.`,
  BLOCK_DISPUTED: ({ first, second, height }) => `${first} and ${second} disagree on whether block ${height} is ours.`,
  PROVIDER_UNKNOWN: ({ provider, known }) => `No provider is called ${provider}; there are ${known.join(', ')}.`,
  PROVIDER_ALONE: ({ provider, said }) =>
    `Only ${provider} answers (${said}). Try again when another does, or take its word with --trust-provider ${provider}.`,
  PROVIDER_NOT_OURS: ({ provider, height }) =>
    `${provider} does not show the block that we hold at ${height}: nothing it says is believed.`,
  PROVIDER_ALONE_BELOW_HEADERS: ({ provider }) =>
    'The range lies below every header that we hold, and only one provider is configured. Configure a second one, ' +
    `or take its word with --trust-provider ${provider}.`,

  EXPORT_UNKNOWN: ({ export: code }) => `There is no export ${code}.`,
  EXPORT_NOT_READY: ({ state }) => `The export is ${state}.`,
  EXPORT_FAILED: ({ fault }) => `The export failed: ${fault.replaceAll('-', ' ')}.`,
  EXPORT_EXPIRED: 'The file of the export was deleted.',
  EXPORT_TOO_WIDE: ({ most }) => `An export covers at most ${most} stores.`,
  EXPORTS_UNDER_WAY: ({ most }) => `A merchant has at most ${most} exports under way.`,
  EXPORTS_TOO_LARGE: ({ mostBytes }) => `The exports of a merchant can have ${mostBytes} bytes together.`,
  TOO_MANY_EXPORTS: ({ most }) => `At most ${most} exports of a merchant are kept.`,

  CALLBACK_INVALID: ({ maxCharacters }) => `--url: must be an http or https URL of at most ${maxCharacters} characters`,
  CALLBACK_UNKNOWN: 'This store has no callback address yet: name one with --url.',
  EVENT_ERASED: 'It is too old to be sent again: its body was erased after the time set for that.',
  EVENT_PENDING: 'It is still being tried.',
  EVENT_UNKNOWN: 'No event of this store is chosen by that.',
  TOO_MANY_EVENTS: ({ most }) => `More than ${most} events are chosen by that: choose a shorter time.`,
  TOO_MANY_REDELIVERIES: ({ most, hours }) =>
    `Members ask for at most ${most} deliveries of a store in ${hours} hours.`,
  TOO_MANY_TEST_EVENTS: ({ most }) => `Members send at most ${most} test events of a store in an hour.`,

  SECRET_ABANDONED: 'This secret was given up because its key was lost: make a new one.',
  RING_MISSING: ({ path }) => `There is no key ring at ${path}: restore it, or write the first with keyring init.`,
  RING_NOT_READABLE: ({ path }) => `The key ring ${path} cannot be opened: its permissions leave this process out.`,
  RING_OPEN_TO_OTHERS: ({ path }) =>
    `The key ring ${path} is open to others: chmod 600 it, or 640 as a file of root and of the group that reads it.`,
  RING_DAMAGED: ({ path }) => `The key ring ${path} is not a key ring, or damaged.`,
  RING_EMPTY: ({ path }) => `The key ring ${path} holds no key.`,
  RING_EXISTS: ({ path }) => `${path} exists already. To add a key, use keyring add.`,
  RING_KNOWN: 'The database already knows a key ring: restore its file, a new one could not open what is sealed.',
  RING_UNKNOWN: 'The database knows no key ring: make one known with keyring init.',
  RING_UNKNOWN_YET: 'The database knows no key ring yet.',
  RING_NOT_READ_YET: 'The key ring was not read yet.',
  RING_INCOMPLETE: ({ keys }) =>
    `The ring lacks ${keys.join(', ')}, which the database knows, so it is not written: bring the file up to date, or keyring retire or keyring abandon what is gone.`,
  RING_LACKS_KEY: ({ key }) => `The key ring lacks key ${key}, which sealed what is stored here.`,
  RING_COPY_DIFFERS: ({ path }) =>
    `The digest is not that of a copy of ${path} as it is now: back the file up again, then pass the SHA-256 of the backup (sha256sum).`,
  RING_HOLDERS_LACK_KEY: ({ key, holders, more }) =>
    `${holders.length + more} running without key ${key}: ${holders.join(', ')}. Copy the ring to them; they report every 10 s, and one that ended is forgotten after 60 s.`,
  KEY_MALFORMED: ({ key }) => `Key ${key} of the ring has the wrong length.`,
  KEY_WRONG: ({ key }) => `Key ${key} of the ring is not the key that sealed what is stored here.`,
  KEY_UNKNOWN: ({ key }) => `There is no key ${key}.`,
  KEY_NOT_IN_DATABASE: ({ key }) => `The database knows no key ${key}.`,
  KEY_NOT_ADDED: ({ key }) => `The database knows no key ${key}: add one with keyring add.`,
  KEY_SEALS: ({ key }) => `Key ${key} seals what is new: keyring reseal with another one first.`,
  KEY_IN_USE: ({ key }) => `Key ${key} still seals secrets: run keyring reseal again.`,
  KEY_IN_RING: ({ key, path }) => `Key ${key} is not lost: the ring at ${path} holds it.`,
  KEY_HELD: ({ key, holder }) => `Key ${key} is not lost: ${holder} holds it.`,
  AUDIT_HEAD_MALFORMED: 'A head is POSITION:DIGEST as a log line has it, or POSITION:NUMBER of both metrics.',
  AUDIT_LINKS_GONE: 'The links of the audit chain are gone: find out why, then audit begin.',
  AUDIT_SECRET_LOST: 'The secret of the chain before cannot be opened. If it is lost for good, say so: --lost yes.',

  ALARM_UNKNOWN: ({ alarm }) => `There is no alarm ${alarm}.`,
  ALARM_ACKNOWLEDGED: ({ alarm, by, at }) => `Alarm ${alarm} was acknowledged by ${by} at ${at}.`,

  MAIL_NOT_SET_UP: 'This server sends no mail (COUNTERFOIL_MAIL_URL).',
  MAIL_ADDRESS_INVALID: ({ address }) => `${JSON.stringify(address)} is not one plain mail address.`,

  DATABASE_TLS: ({ fault }) => `The database is not used: ${TLS_FAULTS[fault]}`,
  DATABASE_ROLE_UNFIT: ({ user, role, faults }) =>
    [
      `The database role ${user} does not fit this process:`,
      ...faults.map((fault) => `  it ${fault}`),
      `Run main-migrate with --roles and connect as ${role}, as docs/operations/install.md shows.`,
    ].join('\n'),
  DATABASE_SESSIONS_SHARED:
    'A pooler stands before the database and gives its sessions to several connections at once. ' +
    'Set it to session mode, as docs/operations/install.md shows, or connect directly.',
  DATABASE_ENCODING_UNFIT: ({ encoding }) =>
    `The database has the encoding ${encoding}; Counterfoil needs UTF8. Create it with createdb -E UTF8 -T template0, ` +
    'and restore a dump into it if it holds data.',
  LOGIN_UNFIT: ({ fault }) => `An address that was given with --login ${fault}.`,
  LOGIN_REFUSED: ({ role }) =>
    `The password of ${role} was set, and the database still refuses it: see pg_hba.conf for how this host may connect.`,
  DATABASES_DIFFER:
    'COUNTERFOIL_VIEWS_DATABASE_URL and COUNTERFOIL_DATABASE_URL lead to two databases, so that people would be shown ' +
    'what belongs to others. Let both name one database on its primary, each with its own role.',
  MIGRATION_LOCKED: 'Another process has been migrating for hours. Look at what it waits for.',
  MIGRATION_CHANGED: ({ migration }) => `The database has another migration ${migration} than this version knows.`,
  SCHEMA_NEWER: ({ migration, needs, version }) =>
    `The database schema is newer than this version knows: ${migration} needs version ${needs} or later, this is ` +
    `version ${version}. Upgrade the server.`,
  SCHEMA_BEHIND: 'The database schema is behind this version. Run the migrations first.',
  ROLLBACK_VERSION_UNKNOWN: ({ given, oldest, newest }) =>
    `${JSON.stringify(given)} is not a version that is known here. Give the number of the newest migration of that version, ` +
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
    'Nobody has made the schema of jobs yet, and the owner role may not: run main-migrate with --roles once.',
};

export function wordRefusal<Code extends RefusalCode>({ code, details }: Refusal<Code>): string {
  const words: Words[Code] = WORDS[code];
  return typeof words === 'string' ? words : words(details);
}

/**
 * Runs `work` and turns a refusal into an error with the message that the command line prints. Other processes use the
 * same messages when they refuse to start.
 */
export async function inOperatorWords<Outcome>(work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } catch (cause) {
    throw cause instanceof Refusal ? new CommandError(wordRefusal(cause)) : cause;
  }
}
