import { expect, test } from 'vitest';
import type { RefusalCode, Refusals } from '../lib/refusal.ts';
import { Refusal } from '../lib/refusal.ts';
import { CommandError } from './command-error.ts';
import { inOperatorWords, wordRefusal } from './refusal-words.ts';

/** Every refusal code with facts that it may have, and the text that the command line prints. */
const TABLE: { [Code in RefusalCode]: [Refusals[Code], string] } = {
  MERCHANT_UNKNOWN: [{ merchant: '7' }, 'There is no merchant 7.'],
  PLAN_UNKNOWN: [{ plan: 'standard' }, 'There is no plan standard.'],
  PLAN_EXISTS: [{ plan: 'standard' }, 'There is a plan standard already.'],
  STORE_UNKNOWN: [{ store: 'MID-X' }, 'There is no store MID-X.'],
  STORE_WITHOUT_SECRET: [{ storeId: '7' }, 'Store 7 has no webhook secret: webhook rotate makes one.'],
  LOGO_TOO_LARGE: [{ maxBytes: 65536 }, 'A logo may have at most 65536 bytes.'],
  LOGO_NOT_A_PICTURE: [{}, 'A logo must be a PNG, JPEG or WebP picture.'],
  LOGO_OF_WRONG_SIZE: [{}, 'A logo must be 16 to 1024 pixels wide and high.'],
  SUPPORT_URL_UNFIT: [
    { maxCharacters: 500 },
    'The address where payers find help must begin with https:// and have at most 500 characters.',
  ],
  SUPPORT_MAIL_UNFIT: [{}, 'The mail address for payers is not a plain mail address.'],
  API_KEY_ALONE: [{ store: 'MID-X' }, 'Store MID-X has one API key only.'],
  STORE_OFF_BY_OPERATOR: [{ store: 'MID-X' }, 'An operator switched store MID-X off: only an operator switches it on.'],
  BALANCE_UNCHANGED: [{}, 'Nothing to credit.'],
  BALANCE_TOO_LOW: [{}, 'The balance does not hold that much.'],
  TOP_UPS_NOT_SET_UP: [{}, 'There is no store for top-ups that is switched on and can be paid. See store purpose.'],
  TOP_UP_STORE_EXISTS: [{ live: true }, 'Another live store is for top-ups already.'],
  TOO_MANY_TOPUPS: [{ most: 20 }, 'A store may ask for 20 top-ups a day.'],
  TOPUP_UNKNOWN: [{ topup: 'TOP-X' }, 'Top-up TOP-X is unknown.'],
  TOO_MANY_ATTEMPTS: [{ minutes: 15 }, 'There were too many attempts. Try again in 15 minutes.'],
  SIGN_IN_REFUSED: [{}, 'The mail address or the password is wrong.'],
  FACTOR_WRONG: [{}, 'The code is wrong or was used already.'],
  FACTOR_NEEDED: [{}, 'A second factor is needed.'],
  STEP_UP_NEEDED: [{}, 'The person must prove again who they are.'],
  SESSION_ENDED: [{}, 'The session has ended.'],
  SESSION_UNKNOWN: [{}, 'There is no such session.'],
  PERSON_UNKNOWN: [{ person: 'PER-X' }, 'There is no person PER-X.'],
  PERSON_EXISTS: [{ mail: 'ada@acme.test' }, 'There is a person with the mail address ada@acme.test already.'],
  PASSWORD_UNFIT: [{ fault: 'too-short' }, 'The password is too short.'],
  LINK_INVALID: [{}, 'The link is unknown, was used, or is too old.'],
  REGISTRATION_CLOSED: [{}, 'Nobody becomes a person here without an operator (COUNTERFOIL_REGISTRATION).'],
  ADDRESS_TAKEN: [{}, 'Somebody else has this mail address.'],
  FACTOR_MISSING: [{}, 'The person has no second factor.'],
  FACTOR_RESET_OPEN: [{}, 'A reset of the second factors of this person is under way already.'],
  FACTORS_ARE_OWN: [{}, 'Nobody resets their own second factors.'],
  TOTP_NOT_BEGUN: [{}, 'There is no authenticator app.'],
  PASSKEY_UNKNOWN: [{}, 'There is no such passkey.'],
  TOO_MANY_PASSKEYS: [{ most: 20 }, 'A person has at most 20 passkeys.'],
  MEMBER_EXISTS: [{ person: 'PER-X' }, 'PER-X is a member already.'],
  MEMBER_UNKNOWN: [{}, 'There is no such member.'],
  ROLE_TOO_HIGH: [{ role: 'owner' }, 'Only an owner gives or takes away the role owner.'],
  INVITATION_UNKNOWN: [{}, 'The invitation is unknown, was used, taken back, or is too old.'],
  TOO_MANY_INVITATIONS: [{ most: 100 }, 'At most 100 invitations of a merchant can wait.'],
  FOLLOW_THE_MAIL: [{}, 'A new person must follow the link that was mailed to the invited address.'],
  INVITATION_FOR_ANOTHER: [{}, 'The invitation is for another mail address.'],
  LAST_OWNER: [{}, 'A merchant has at least one owner.'],
  OPERATORS_ONLY: [{}, 'Only those who run the service can do this.'],
  STORES_NOT_OFFERED: [{}, 'Members create no stores here: COUNTERFOIL_STORE_PLAN is not set.'],
  TOO_MANY_STORES: [{ limit: 200 }, 'A merchant creates at most 200 stores.'],
  READ_ONLY_VIEW: [{}, 'Somebody who only looks can change nothing.'],
  VIEW_UNKNOWN: [{ view: 'VIE-1' }, 'There is no open view VIE-1.'],
  NO_PERMISSION: [{ permission: 'team.change' }, 'The role does not allow team.change.'],
  NETWORK_UNKNOWN: [{ network: 'BSC', known: ['BSC', 'ETH'] }, 'There is no network BSC. Known: BSC, ETH.'],
  TOKEN_UNKNOWN: [{ network: 'BSC', token: 'USDT' }, 'USDT on BSC is not in our list.'],
  ADDRESS_INVALID: [{ network: 'BSC', address: '0xa' }, '0xa is not an address of BSC.'],
  ADDRESS_OF_ANOTHER_MERCHANT: [{ address: '0xa' }, '0xa belongs to another merchant.'],
  WALLET_EXISTS: [{ network: 'BSC', address: '0xa' }, 'The store receives on BSC at 0xa already.'],
  WALLET_UNKNOWN: [{ network: 'BSC', address: '0xa' }, 'The store does not receive on BSC at 0xa.'],
  TEST_STORE_ON_LIVE_NETWORK: [{ store: 'MID-X' }, 'MID-X is a test store: it receives in the sandbox only.'],
  SANDBOX_NETWORK: [{ network: 'sandbox:BSC' }, 'sandbox:BSC belongs to the sandbox: only test stores receive there.'],
  METHODS_LOCKED: [
    {},
    'The payment methods of the merchant are locked: no method and no API key can be added until method unlock.',
  ],
  METHODS_NOT_LOCKED: [{}, 'The payment methods of the merchant are not locked.'],
  METHOD_CHANGE_WAITS: [
    { network: 'BSC', change: 'MCH-X' },
    'The change MCH-X of the store on BSC is waiting already: method cancel takes it back.',
  ],
  METHOD_CHANGE_UNKNOWN: [{ change: 'MCH-X' }, 'There is no change MCH-X of this store.'],
  METHOD_CHANGE_DECIDED: [{ change: 'MCH-X' }, 'The change MCH-X does not wait any more.'],
  TOO_MANY_METHOD_CHANGES: [{ most: 50 }, 'A merchant asks for at most 50 changes in 24 hours.'],
  UNLOCK_BY_REQUESTER: [
    { hours: 24 },
    'Whoever asked for a change that the lock stopped cannot unlock within 24 hours of it.',
  ],
  EXCHANGE_KEY_NEEDED: [{ network: 'X' }, 'The account id of X is read with its key: exchange add.'],
  EXCHANGE_UNKNOWN: [{ network: 'X', known: ['A', 'B'] }, 'There is no exchange platform X. Known: A, B.'],
  EXCHANGE_ADDRESS_UNKNOWN: [
    { network: 'X', known: ['https://a', 'https://b'] },
    'X has no such address. Known: https://a, https://b.',
  ],
  EXCHANGE_PASSPHRASE_NEEDED: [{ network: 'X' }, 'A key of X has a passphrase: put it on the third line.'],
  EXCHANGE_KEY_REFUSED: [
    { network: 'X', fault: 'too-many-rights: trade' },
    'The key of X is refused (too-many-rights: trade). It must be able to read, and nothing else.',
  ],
  EXCHANGE_NOT_ANSWERING: [{ network: 'X', reason: 'Nobody.' }, 'X gives no answer: Nobody.'],
  EXCHANGE_ACCOUNT_UNKNOWN: [{ network: 'X', account: '12' }, 'Nobody receives at account 12 of X.'],
  EXCHANGE_ACCOUNT_STOPPED: [{ network: 'X', account: '12' }, 'Account 12 of X is stopped already.'],
  EXCHANGE_ACCOUNT_NOT_STOPPED: [{ network: 'X', account: '12' }, 'Account 12 of X is not stopped.'],
  TOO_MANY_INVOICES: [
    { retryAfterSeconds: 60 },
    'The store has created as many invoices as it may: try again in 60 seconds.',
  ],
  STORE_SWITCHED_OFF: [{}, 'The store or its merchant is switched off.'],
  CALLBACK_UNFIT: [{ fault: 'port' }, 'Webhooks of the store cannot be sent there (port).'],
  NO_PAYMENT_METHOD: [{}, 'The store receives on no network yet: wallet add.'],
  INSUFFICIENT_BALANCE: [
    { availableMicroUsd: 1n, feeMicroUsd: 2n, feeRateUnits: 3n, discountUnits: 4n, amountUnits: 5n },
    'The balance of the store does not cover the fee: balance credit.',
  ],
  INVOICE_UNKNOWN: [{ transId: 'TID-X' }, 'There is no invoice TID-X.'],
  INVOICE_PAID: [{}, 'The invoice is paid already.'],
  INVOICE_EXPIRED: [{}, 'The invoice has expired already.'],
  INVOICE_OF_TEST_STORE: [{}, 'The invoice is of a test store, which no money pays.'],
  INVOICE_WITHOUT_PAYMENT: [{}, 'No payment of it stands in a chain: it expires by itself.'],
  INVOICE_ENDS_BY_ITSELF: [
    {},
    'Its payment is on a network that is read: it ends by itself. transfer accept and discard decide a transfer that is doubted.',
  ],
  INVOICE_PAID_ELSEWHERE: [{}, 'Another payment of it is on a network that is read.'],
  INVOICE_NOT_COVERED: [{}, 'It has not ended, or another network that it was quoted on is not read past its end.'],
  INVOICE_CHANGED: [{}, 'Its payment is gone meanwhile.'],
  INVOICE_NOT_ENDED: [{ outcome: 'expired', status: 'processing' }, 'It cannot be expired: it is processing.'],
  NETWORK_NOT_QUOTED: [{ transId: 'TID-X', network: 'BSC' }, 'TID-X was never quoted on BSC.'],
  STORE_NOT_FOR_TESTS: [{}, 'The store is live: nothing is tested there.'],
  METHOD_NOT_SELECTED: [{ refusal: 'closing' }, 'No payment method could be selected (closing).'],
  TOO_MANY_ACTS: [{ most: 50 }, 'A test invoice takes at most 50 acts.'],
  TOO_MANY_FAULTS: [{ most: 50 }, 'A test store has at most 50 faults that have not begun yet.'],
  TRANSFER_UNKNOWN: [{}, 'There is no such transfer to a watched address.'],
  TRANSFER_NOT_IN_CHAIN: [
    {},
    'The transfer is no longer in the chain as we read it. chain rescan finds it if it is there.',
  ],
  TRANSFER_LEFT_CHAIN: [{}, 'The transfer is no longer in the chain.'],
  TRANSFER_DISCARDED: [{}, 'The transfer is no longer in the chain as we read it: there is nothing to discard.'],
  TRANSFER_CONFIRMED: [
    {},
    'The transfer was confirmed by a second question: only a reorg takes it away, and that is undone by itself.',
  ],
  TRANSFER_NEEDS_NOBODY: [{}, 'The transfer is confirmed already: nobody need vouch for it.'],
  TRANSFER_UNDECIDED_YET: [{ minutes: 32 }, 'Readers may still decide it by themselves: try again in 32 minutes.'],
  TRANSFER_PAYS_ALREADY: [{}, 'The transfer pays an invoice already.'],
  TRANSFER_TO_ANOTHER_MERCHANT: [{}, "The transfer did not arrive at an address that was this merchant's at the time."],
  TRANSACTION_INVALID: [{ network: 'BSC', txId: '0xb' }, '0xb is no transaction of BSC.'],
  TRANSACTION_READ_BY_ACCOUNT: [
    { network: 'BSC' },
    'Everything that reaches an account of BSC is read: use invoice recheck.',
  ],
  TRANSACTION_NOT_AWAITED: [{ network: 'BSC', account: 'So1', txId: '0xb' }, 'So1 on BSC does not wait for 0xb.'],
  NETWORK_FROZEN: [{ network: 'BSC' }, 'BSC is frozen.'],
  NETWORK_NOT_FROZEN: [{ network: 'BSC' }, 'BSC is not frozen.'],
  NETWORK_UNDOES_REORGS: [{ network: 'BSC' }, 'BSC is not frozen: its reader undoes a reorg by itself.'],
  NETWORK_NOT_FOLLOWED: [{ network: 'BSC' }, 'BSC is not followed.'],
  NETWORK_WITHOUT_NODE: [{ network: 'BSC' }, 'COUNTERFOIL_RPC_BSC is not set.'],
  NETWORK_REORGANISED: [{ network: 'BSC' }, 'BSC was reorganised meanwhile. Run it again.'],
  NETWORK_READ_LESS: [{ network: 'BSC', height: 70 }, 'BSC was read up to 70 only.'],
  BLOCK_NOT_HELD: [{ network: 'BSC', height: 70 }, 'We hold no block of BSC at 70 or above.'],
  BLOCK_NOT_AGREED: [{ height: 70 }, 'Nodes do not agree on block 70.'],
  BLOCK_DISPUTED: [{ first: 'a', second: 'b', height: 70 }, 'a and b disagree on whether block 70 is ours.'],
  PROVIDER_UNKNOWN: [{ provider: 'a', known: ['BSC', 'ETH'] }, 'No provider is called a; there are BSC, ETH.'],
  PROVIDER_ALONE: [
    { provider: 'a', said: 'timeout' },
    'Only a answers (timeout). Try again when another does, or take its word with --trust-provider a.',
  ],
  PROVIDER_NOT_OURS: [
    { provider: 'a', height: 70 },
    'a does not show the block that we hold at 70: nothing it says is believed.',
  ],
  PROVIDER_ALONE_BELOW_HEADERS: [
    { provider: 'a' },
    'The range lies below every header that we hold, and only one provider is configured. Configure a second one, or take its word with --trust-provider a.',
  ],
  CALLBACK_INVALID: [{ maxCharacters: 500 }, '--url: must be an http or https URL of at most 500 characters'],
  CALLBACK_UNKNOWN: [{}, 'This store has no callback address yet: name one with --url.'],
  EVENT_ERASED: [{}, 'It is too old to be sent again: its body was erased after the time set for that.'],
  EVENT_UNKNOWN: [{}, 'No event of this store is chosen by that, or it is still being tried.'],
  SECRET_ABANDONED: [{}, 'This secret was given up because its key was lost: make a new one.'],
  RING_MISSING: [
    { path: '/etc/ring.json' },
    'There is no key ring at /etc/ring.json: restore it, or write the first with keyring init.',
  ],
  RING_NOT_READABLE: [
    { path: '/etc/ring.json' },
    'The key ring /etc/ring.json cannot be opened: its permissions leave this process out.',
  ],
  RING_OPEN_TO_OTHERS: [
    { path: '/etc/ring.json' },
    'The key ring /etc/ring.json is open to others: chmod 600 it, or 640 as a file of root and of the group that reads it.',
  ],
  RING_DAMAGED: [{ path: '/etc/ring.json' }, 'The key ring /etc/ring.json is not a key ring, or damaged.'],
  RING_EMPTY: [{ path: '/etc/ring.json' }, 'The key ring /etc/ring.json holds no key.'],
  RING_EXISTS: [{ path: '/etc/ring.json' }, '/etc/ring.json exists already. To add a key, use keyring add.'],
  RING_KNOWN: [{}, 'The database already knows a key ring: restore its file, a new one could not open what is sealed.'],
  RING_UNKNOWN: [{}, 'The database knows no key ring: make one known with keyring init.'],
  RING_UNKNOWN_YET: [{}, 'The database knows no key ring yet.'],
  RING_NOT_READ_YET: [{}, 'The key ring was not read yet.'],
  RING_INCOMPLETE: [
    { keys: ['k1', 'k2'] },
    'The ring lacks k1, k2, which the database knows, so it is not written: bring the file up to date, or keyring retire or keyring abandon what is gone.',
  ],
  RING_LACKS_KEY: [{ key: 'k1' }, 'The key ring lacks key k1, which sealed what is stored here.'],
  RING_HOLDERS_LACK_KEY: [
    { key: 'k1', holders: ['worker h:1', 'worker h:2'], more: 3 },
    '5 running without key k1: worker h:1, worker h:2. Copy the ring to them; they report every 10 s, and one that ended is forgotten after 60 s.',
  ],
  KEY_MALFORMED: [{ key: 'k1' }, 'Key k1 of the ring has the wrong length.'],
  KEY_WRONG: [{ key: 'k1' }, 'Key k1 of the ring is not the key that sealed what is stored here.'],
  KEY_UNKNOWN: [{ key: 'k1' }, 'There is no key k1.'],
  KEY_NOT_IN_DATABASE: [{ key: 'k1' }, 'The database knows no key k1.'],
  KEY_NOT_ADDED: [{ key: 'k1' }, 'The database knows no key k1: add one with keyring add.'],
  KEY_SEALS: [{ key: 'k1' }, 'Key k1 seals what is new: keyring reseal with another one first.'],
  KEY_IN_USE: [{ key: 'k1' }, 'Key k1 still seals secrets: run keyring reseal again.'],
  KEY_IN_RING: [{ key: 'k1', path: '/etc/ring.json' }, 'Key k1 is not lost: the ring at /etc/ring.json holds it.'],
  KEY_HELD: [{ key: 'k1', holder: 'worker h:1' }, 'Key k1 is not lost: worker h:1 holds it.'],
  AUDIT_HEAD_MALFORMED: [{}, 'A head is POSITION:DIGEST as a log line has it, or POSITION:NUMBER of both metrics.'],
  AUDIT_LINKS_GONE: [{}, 'The links of the audit chain are gone: find out why, then audit begin.'],
  AUDIT_SECRET_LOST: [
    {},
    'The secret of the chain before cannot be opened. If it is lost for good, say so: --lost yes.',
  ],
  ALARM_UNKNOWN: [{ alarm: '7' }, 'There is no alarm 7.'],
  ALARM_ACKNOWLEDGED: [
    { alarm: '7', by: 'cli:alice', at: '2026-11-15T12:00:00.000Z' },
    'Alarm 7 was acknowledged by cli:alice at 2026-11-15T12:00:00.000Z.',
  ],
  MAIL_NOT_SET_UP: [{}, 'This server sends no mail (COUNTERFOIL_MAIL_URL).'],
  MAIL_ADDRESS_INVALID: [{ address: 'a@b\n' }, '"a@b\\n" is not one plain mail address.'],
  DATABASE_ROLE_UNFIT: [
    { user: 'postgres', role: 'counterfoil_api', faults: ['is a superuser', 'owns 3 tables'] },
    'The database role postgres does not fit this process:\n  it is a superuser\n  it owns 3 tables\nRun main-migrate with --roles and connect as counterfoil_api, as docs/operations.md shows.',
  ],
  MIGRATION_LOCKED: [{}, 'Another process has been migrating for hours. Look at what it waits for.'],
  MIGRATION_CHANGED: [
    { migration: '0007-some.sql' },
    'The database has another migration 0007-some.sql than this version knows.',
  ],
  SCHEMA_NEWER: [
    { migration: '0007-some.sql', needs: '8', version: 6 },
    'The database schema is newer than this version knows: 0007-some.sql needs version 8 or later, this is version 6. Upgrade the server.',
  ],
  SCHEMA_BEHIND: [{}, 'The database schema is behind this version. Run the migrations first.'],
  JOBS_NOT_INSTALLED: [{}, 'The tables of jobs are not in the database. Run the migrations again.'],
  JOBS_WITHOUT_SCHEMA: [
    {},
    'Nobody has made the schema of jobs yet, and the owner role may not: run main-migrate with --roles once.',
  ],
};

const rows = Object.entries(TABLE).map(([code, [details, words]]) => ({ code, details, words }));

test.each(rows)('the command line words $code', ({ code, details, words }) => {
  expect(wordRefusal(new Refusal(code as RefusalCode, details))).toBe(words);
});

test('facts that are absent are not in the text of a refusal', () => {
  expect(wordRefusal(new Refusal('NETWORK_UNKNOWN', { network: 'DOGE' }))).toBe('There is no network DOGE.');
  expect(wordRefusal(new Refusal('INVOICE_UNKNOWN', {}))).toBe('There is no such invoice.');
});

test('a process that may not start ends with the text of the refusal; any other error is thrown unchanged', async () => {
  const refused = inOperatorWords(() => Promise.reject(new Refusal('SCHEMA_BEHIND')));
  await expect(refused).rejects.toEqual(new CommandError(TABLE.SCHEMA_BEHIND[1]));
  const fault = new Error('The disk is full.');
  await expect(inOperatorWords(() => Promise.reject(fault))).rejects.toBe(fault);
});
