import { randomBytes } from 'node:crypto';
import type { ExchangeCredentials } from '../../src/platforms/statement-source.ts';
import type {
  FakeAccount,
  FakeKeyFacts,
  FakePayment,
  FakeRefundOrder,
  FakeRowIds,
  FakeState,
  FakeWay,
} from './fake-exchange.ts';

/** Exchange accounts and rows of a fake platform, independent of any platform's dialect. */

export type BookAccount = {
  uid: string;
  credentials: ExchangeCredentials;
  rights: Set<string>;
  facts: FakeKeyFacts;
};

export type BookRow = {
  /** The number of the row among all rows of the platform. */
  number: number;
  id: string;
  otherId: string | undefined;
  uid: string;
  token: string;
  amount: string;
  atMs: number;
  visibleAtMs: number;
  from: string;
  state: FakeState;
  /** The platform's own word for the state, where a test has ordered one. */
  platformState: string | undefined;
  /** When a pending payment becomes final automatically. */
  creditAtMs: number | undefined;
  /** When the payment ended, which changes its row; the row's own time if the payment was never pending. */
  changedAtMs: number;
  /** How long after the payment's end the platform's ledger shows the payment, where the platform has a ledger. */
  ledgerDelayMs: number;
  toTrading: boolean;
  way: FakeWay;
  /** The id of the payment that this row gives back. */
  refunds: string | undefined;
  isVanished: boolean;
  wasShown: boolean;
};

export type BookOptions = {
  nowMs: () => number;
  /** Rights of a key that may read and nothing else, by the platform's names. */
  usualRights: readonly string[];
  hasPassphrase: boolean;
  /** The ids that the platform gives to its row with this number. */
  idsOf: (number: number, way: FakeWay) => FakeRowIds;
};

export type ExchangeBook = {
  openAccount: (facts?: Partial<FakeKeyFacts>) => FakeAccount;
  accountOfKey: (apiKey: string | undefined) => BookAccount | undefined;
  pay: (uid: string, payment: FakePayment) => FakeRowIds;
  settle: (id: string, state: 'final' | 'failed') => void;
  vanish: (id: string) => void;
  restore: (id: string) => void;
  refund: (id: string, order?: FakeRefundOrder) => FakeRowIds;
  /** Rows of an exchange account that the platform shows now, oldest first. */
  rowsOf: (uid: string) => BookRow[];
};

const FIRST_UID = 35_000_001;
const USUAL_FACTS: FakeKeyFacts = {
  active: true,
  boundToAddresses: true,
  refusesAddress: false,
  expiresAtMs: undefined,
  isSubAccount: false,
  version: undefined,
};

const secretText = () => randomBytes(24).toString('hex');

function negated(amount: string): string {
  return amount.startsWith('-') ? amount.slice(1) : `-${amount}`;
}

/** Ends a pending payment, and changes its row accordingly. */
function settle(row: BookRow, state: 'final' | 'failed', atMs: number): void {
  Object.assign(row, { state, creditAtMs: undefined, platformState: undefined, changedAtMs: Math.max(row.atMs, atMs) });
}

function settleDue(rows: readonly BookRow[], nowMs: number): void {
  for (const row of rows)
    if (row.creditAtMs !== undefined && row.creditAtMs <= nowMs) settle(row, 'final', row.creditAtMs);
}

type NewRow = { number: number; ids: FakeRowIds; uid: string; refunds: string | undefined; nowMs: number };

function rowOfPayment(payment: FakePayment, { number, ids, uid, refunds, nowMs }: NewRow): BookRow {
  const { token, amount, way = 'internal', from = 'payer', creditAtMs, platformState, ledgerDelayMs = 0 } = payment;
  const atMs = payment.atMs ?? nowMs;
  return {
    number,
    id: ids.id,
    otherId: ids.otherId,
    uid,
    token,
    amount,
    atMs,
    visibleAtMs: payment.visibleAtMs ?? Math.min(atMs, nowMs),
    from,
    state: payment.state ?? (creditAtMs === undefined ? 'final' : 'pending'),
    platformState,
    creditAtMs,
    changedAtMs: atMs,
    ledgerDelayMs,
    toTrading: payment.toTrading ?? false,
    way,
    refunds,
    isVanished: false,
    wasShown: false,
  };
}

export function createExchangeBook({ nowMs, usualRights, hasPassphrase, idsOf }: BookOptions): ExchangeBook {
  const accounts = new Map<string, BookAccount>();
  const rows: BookRow[] = [];
  /** The row of each id; where rows share an id, the last row. */
  const byId = new Map<string, BookRow>();

  function rowOf(id: string): BookRow {
    const row = byId.get(id);
    if (!row) throw new Error(`The fake platform has no row ${id}.`);
    return row;
  }

  function addRow(uid: string, payment: FakePayment, refunds: string | undefined): FakeRowIds {
    const number = rows.length + 1;
    const ids = idsOf(number, payment.way ?? 'internal');
    if (payment.id !== undefined) ids.id = payment.id;
    const row = rowOfPayment(payment, { number, ids, uid, refunds, nowMs: nowMs() });
    rows.push(row);
    if (refunds !== ids.id) byId.set(ids.id, row);
    return ids;
  }

  function issueKey(uid: string, facts: Partial<FakeKeyFacts> = {}): FakeAccount {
    const account: BookAccount = {
      uid,
      credentials: {
        apiKey: secretText(),
        apiSecret: secretText(),
        ...(hasPassphrase ? { passphrase: secretText() } : {}),
      },
      rights: new Set(usualRights),
      facts: { ...USUAL_FACTS, ...facts },
    };
    accounts.set(account.credentials.apiKey, account);
    return {
      uid: account.uid,
      credentials: account.credentials,
      grant: (right) => void account.rights.add(right),
      revoke: (right) => void account.rights.delete(right),
      change: (changed) => void Object.assign(account.facts, changed),
      issueKey: () => issueKey(uid),
    };
  }

  return {
    openAccount: (facts) => issueKey(String(FIRST_UID + accounts.size), facts),
    accountOfKey: (apiKey) => (apiKey === undefined ? undefined : accounts.get(apiKey)),
    pay: (uid, payment) => addRow(uid, payment, undefined),
    settle: (id, state) => settle(rowOf(id), state, nowMs()),
    vanish: (id) => void Object.assign(rowOf(id), { isVanished: true }),
    restore: (id) => void Object.assign(rowOf(id), { isVanished: false }),
    refund: (id, { sharesId = false } = {}) => {
      const { uid, token, amount, from, way } = rowOf(id);
      return addRow(uid, { token, amount: negated(amount), from, way, ...(sharesId ? { id } : {}) }, id);
    },
    rowsOf: (uid) => {
      settleDue(rows, nowMs());
      return rows
        .filter((row) => row.uid === uid && !row.isVanished && row.visibleAtMs <= nowMs())
        .sort((left, right) => left.atMs - right.atMs || left.number - right.number);
    },
  };
}
