import { randomBytes } from 'node:crypto';
import type { ExchangeCredentials } from '../../src/platforms/statement-source.ts';
import type { FakeAccount, FakeKeyFacts, FakePayment, FakeRowIds, FakeState, FakeWay } from './fake-exchange.ts';

/** Accounts and rows of a fake platform, in no platform's dialect. */

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
  refund: (id: string) => FakeRowIds;
  /** Rows of an account that the platform shows now, in the order of their times, the oldest first. */
  rowsOf: (uid: string) => BookRow[];
};

const FIRST_UID = 35_000_001;
const USUAL_FACTS: FakeKeyFacts = {
  active: true,
  boundToAddresses: true,
  refusesAddress: false,
  expiresAtMs: undefined,
  isSubAccount: false,
};

const secretText = () => randomBytes(24).toString('hex');

function negated(amount: string): string {
  return amount.startsWith('-') ? amount.slice(1) : `-${amount}`;
}

export function createExchangeBook({ nowMs, usualRights, hasPassphrase, idsOf }: BookOptions): ExchangeBook {
  const accounts = new Map<string, BookAccount>();
  const rows = new Map<string, BookRow>();

  function rowOf(id: string): BookRow {
    const row = rows.get(id);
    if (!row) throw new Error(`The fake platform has no row ${id}.`);
    return row;
  }

  function addRow(uid: string, payment: FakePayment, refunds: string | undefined): FakeRowIds {
    const { token, amount, way = 'internal', from = 'payer', state = 'final' } = payment;
    const number = rows.size + 1;
    const ids = idsOf(number, way);
    const atMs = payment.atMs ?? nowMs();
    const visibleAtMs = payment.visibleAtMs ?? Math.min(atMs, nowMs());
    const content = {
      number,
      id: ids.id,
      otherId: ids.otherId,
      uid,
      token,
      amount,
      atMs,
      visibleAtMs,
      from,
      state,
      way,
    };
    rows.set(ids.id, { ...content, refunds, isVanished: false, wasShown: false });
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
    settle: (id, state) => void Object.assign(rowOf(id), { state }),
    vanish: (id) => void Object.assign(rowOf(id), { isVanished: true }),
    restore: (id) => void Object.assign(rowOf(id), { isVanished: false }),
    refund: (id) => {
      const { uid, token, amount, from, way } = rowOf(id);
      return addRow(uid, { token, amount: negated(amount), from, way }, id);
    },
    rowsOf: (uid) =>
      [...rows.values()]
        .filter((row) => row.uid === uid && !row.isVanished && row.visibleAtMs <= nowMs())
        .sort((left, right) => left.atMs - right.atMs || left.number - right.number),
  };
}
