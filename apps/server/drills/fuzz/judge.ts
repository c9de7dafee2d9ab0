import type { FuzzRequest } from './requests.ts';
import { echoOf, findShapeFaults, judgeCreate, parseAnswer } from './oracle.ts';
import type { Answer } from '../../rig/requests/transport.ts';

/** Compares an answer of the API with the expected answer. Every fault is one line of text. */

export type Ledger = {
  /** The invoice of each request_id, for the store that may create invoices. */
  byRequestId: Map<string, { transId: string; amount: string }>;
  own: string[];
};

const CHECKOUT_URL = 'https://checkout.example';
const SUCCESS = 200;
const RATE_LIMITED = 429;
const MAX_LISTED = 100;

type Parsed = {
  status?: string;
  error_code?: string;
  request_id?: string;
  details?: { trans_id?: unknown; errors?: unknown };
  idempotent?: boolean;
  data?: { trans_id: string; amount: string; request_id?: string; status: string; url_payment?: string };
};

type Create = Extract<FuzzRequest, { kind: 'create' }>;
type Lookup = Extract<FuzzRequest, { kind: 'lookup' }>;

const KEY_REFUSALS: Readonly<Record<string, string>> = {
  none: 'MISSING_API_KEY',
  garbage: 'INVALID_API_KEY',
  several: 'INVALID_API_KEY',
};

export function judgeCreateAnswer(request: Create, answer: Answer, merchantId: string, ledger: Ledger): string[] {
  const { body, fault } = parseAnswer(answer, 'create');
  if (fault) return [fault];
  const parsed = body as Parsed;
  const echo = request.contentType && !request.encoding ? echoOf(request.body) : undefined;
  const unkeyed = KEY_REFUSALS[request.caller];
  if (unkeyed) return answer.status === RATE_LIMITED ? [] : expectCode(parsed, unkeyed);
  const verdict = judgeCreate(
    { body: request.body, contentType: request.contentType, encoded: request.encoding !== undefined },
    request.caller,
    merchantId,
  );
  if (!verdict.accepted) {
    const faults = expectCode(parsed, verdict.code);
    const echoed = verdict.code === 'UNSUPPORTED_MEDIA_TYPE' ? undefined : echo;
    if (parsed.request_id !== echoed) faults.push(`repeats request_id ${parsed.request_id}`);
    if (verdict.code === 'VALIDATION_ERROR' && !Array.isArray(parsed.details?.errors)) faults.push('no details.errors');
    return faults;
  }
  if (answer.status !== SUCCESS || !parsed.data) return [`must be accepted, is ${parsed.error_code}`];
  return judgeInvoice(parsed, verdict.amount, echo, ledger);
}

function judgeInvoice(parsed: Parsed, amount: string, echo: string | undefined, ledger: Ledger): string[] {
  const faults: string[] = [];
  const { data } = parsed;
  if (!data) return ['no data'];
  if (data.request_id !== echo) faults.push(`repeats request_id ${data.request_id}`);
  if (data.url_payment !== `${CHECKOUT_URL}/bill/${data.trans_id}`) faults.push(`url_payment ${data.url_payment}`);
  if (data.status !== 'waiting') faults.push(`status ${data.status}`);
  if (!parsed.idempotent) {
    ledger.own.push(data.trans_id);
    if (data.amount !== amount) faults.push(`amount ${data.amount} for ${amount}`);
  }
  if (echo === undefined) return parsed.idempotent ? [...faults, 'a replay without a request_id'] : faults;
  // Answers overtake each other, so the first answer may not be the one that created the invoice.
  const earlier = ledger.byRequestId.get(echo);
  if (earlier && (earlier.transId !== data.trans_id || earlier.amount !== data.amount))
    faults.push(`request_id became ${earlier.transId} before`);
  ledger.byRequestId.set(echo, { transId: data.trans_id, amount: data.amount });
  return faults;
}

function expectCode(parsed: { status?: string; error_code?: string }, code: string): string[] {
  return parsed.error_code === code ? [] : [`must be ${code}, is ${parsed.error_code ?? parsed.status}`];
}

/**
 * Judges the answer to an invoice lookup. `transId` is the decoded code in the path; undefined when the path is of no
 * lookup.
 */
export function judgeLookupAnswer(request: Lookup, answer: Answer, transId: string | undefined): string[] {
  const { body, fault } = parseAnswer(answer, 'lookup');
  if (fault) return [fault];
  const parsed = body as Parsed;
  const unkeyed = KEY_REFUSALS[request.caller];
  if (answer.status === RATE_LIMITED && (unkeyed || transId === undefined)) return [];
  if (transId === undefined) return answer.status === SUCCESS ? ['found something at no path'] : [];
  if (unkeyed) return expectCode(parsed, unkeyed);
  if (transId === '') return expectCode(parsed, 'MISSING_TRANS_ID');
  if (!/^TID-[A-Z0-9]{16}$/.test(transId) || transId.endsWith('\n')) {
    const faults = expectCode(parsed, 'INVALID_TRANS_ID_FORMAT');
    return parsed.details?.trans_id === transId ? faults : [...faults, 'details.trans_id is not what was sent'];
  }
  if ('own' in request.target && request.caller === 'rich')
    return parsed.data?.trans_id === transId ? [] : [`does not find ${transId}`];
  return expectCode(parsed, 'INVOICE_NOT_FOUND');
}

/** A list is refused with a reason, or holds invoices of its store alone; never more than were asked for. */
export function judgeListAnswer(
  request: Extract<FuzzRequest, { kind: 'list' }>,
  answer: Answer,
  foreign: readonly string[],
): string[] {
  const { body, fault } = parseAnswer(answer, 'list');
  if (fault) return [fault];
  const parsed = body as { error_code?: string; status?: string; data?: { invoices: { trans_id: string }[] } };
  if (answer.status === RATE_LIMITED) return [];
  const unkeyed = KEY_REFUSALS[request.caller];
  if (unkeyed) return expectCode(parsed, unkeyed);
  if (answer.status !== SUCCESS) return expectCode(parsed, 'VALIDATION_ERROR');
  const codes = parsed.data?.invoices.map((one) => one.trans_id) ?? [];
  const faults = codes.length > MAX_LISTED ? [`lists ${codes.length} invoices`] : [];
  return codes.some((code) => foreign.includes(code)) ? [...faults, 'lists an invoice of another store'] : faults;
}

/** Rules for every answer, and for answers to requests that belong to no endpoint. */
export function judgeAnswer(request: FuzzRequest, answer: Answer, own: readonly string[]): string[] {
  const faults = findShapeFaults(answer, own, request.kind === 'raw');
  if (request.kind !== 'raw' && request.kind !== 'other') return faults;
  const fault = answer.status === SUCCESS ? 'accepts it' : parseAnswer(answer, 'lookup').fault;
  return fault ? [...faults, fault] : faults;
}
