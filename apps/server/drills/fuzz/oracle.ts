import { PublicError } from '../../src/api/public-error.ts';
import { z } from 'zod';
import {
  merchantCreatedSchema,
  errorSchema,
  invoiceListSchema,
  merchantInvoiceSchema,
} from '../../src/api/invoice-schemas.ts';
import type { Answer } from '../../rig/requests/transport.ts';

/**
 * Rules of the merchant API, written without the server's code, so that a mistake in the server shows as a difference.
 */

export type Caller = 'rich' | 'poor' | 'bare' | 'none' | 'garbage' | 'several';
export type Verdict = { accepted: true; amount: string } | { accepted: false; code: string };

const foundSchema = z.strictObject({ status: z.literal('success'), data: merchantInvoiceSchema });

const MAX_BODY = 16_384;
const LENGTHS = { callback_url: 500, completed_url: 500, expired_url: 500, name: 255, description: 1000 } as const;
const MAX_REQUEST_ID = 255;
const DECIMALS = 8;
const CEILING = 1_000_000n * 10n ** BigInt(DECIMALS);

const refused = (code: string): Verdict => ({ accepted: false, code });

/** Source text of the last value named `name` at the top level of a JSON object. */
function sourceOf(json: string, name: string): string | undefined {
  let depth = 0;
  let key: unknown;
  let next: 'key' | 'value' | 'comma' = 'key';
  let found: string | undefined;
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[^\s{}[\],:"]+|[{}[\],:]/g)) {
    if (depth === 1) {
      if (token === ',') next = 'key';
      else if (token === ':') next = 'value';
      else if (next === 'key' && token.startsWith('"')) key = JSON.parse(token);
      else if (next === 'value') {
        if (key === name) found = token;
        next = 'comma';
      }
    }
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
  }
  return found;
}

const characters = (text: string) => Array.from(text);
const digits = (text: string) => text !== '' && characters(text).every((one) => '0123456789'.includes(one));

/** An amount as the API shows it, or undefined when the API must refuse the amount. */
function canonicalAmount(source: string): string | undefined {
  const written = source.startsWith('"') ? String(JSON.parse(source)) : source;
  const [whole = '', fraction, ...more] = written.split('.');
  if (more.length > 0 || !digits(whole) || (fraction !== undefined && !digits(fraction))) return undefined;
  if (whole.length > 7 || (whole.length > 1 && whole.startsWith('0'))) return undefined;
  if (fraction !== undefined && fraction.length > DECIMALS) return undefined;
  const units = BigInt(whole + (fraction ?? '').padEnd(DECIMALS, '0'));
  if (units <= 0n || units > CEILING) return undefined;
  let shown = (fraction ?? '').padEnd(2, '0');
  while (shown.length > 2 && shown.endsWith('0')) shown = shown.slice(0, -1);
  return `${whole}.${shown}`;
}

function isStorable(value: unknown, most: number): value is string {
  if (typeof value !== 'string' || characters(value).length > most) return false;
  return characters(value).every(
    (one) => one !== '\u0000' && !(one >= '\ud800' && one <= '\udfff' && one.length === 1),
  );
}

/** Ports of databases, queues and management interfaces that the fuzzer tries. */
const SERVICE_PORTS = new Set(['2375', '3306', '5432', '6379', '9200', '11211', '27017']);

function isAddress(value: string): boolean {
  const [scheme = '', ...rest] = value.split('://');
  if (rest.length === 0 || !['http', 'https'].includes(scheme.toLowerCase())) return false;
  if (['', '/', '?', '#'].includes(rest.join('://').charAt(0))) return false;
  if (characters(value).some((one) => one.trim() === '' || one < ' ' || (one >= '\u007f' && one <= '\u009f')))
    return false;
  if (value.includes('\\') || !URL.canParse(value)) return false;
  const authority = rest.join('://').split(/[/?#]/)[0] ?? '';
  if (authority.includes('@')) return false;
  const port = new URL(value).port;
  return port === '' || port === '80' || port === '443' || (Number(port) >= 1024 && !SERVICE_PORTS.has(port));
}

const MAX_DEPTH = 64;

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

function depthOf(value: unknown): number {
  let depth = 0;
  for (let level = [value].filter(isContainer); level.length > 0; depth += 1) {
    level = level.flatMap((one): unknown[] => Object.values(one)).filter(isContainer);
  }
  return depth;
}

function readJson(bytes: Buffer): { text: string; value: unknown } | undefined {
  try {
    const text = bytes.toString('utf8');
    const value: unknown = JSON.parse(text);
    return Buffer.from(text, 'utf8').equals(bytes) && depthOf(value) <= MAX_DEPTH ? { text, value } : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const KNOWN_METHODS = new Set([
  ...['BSC', 'ETH', 'POLYGON', 'ARBITRUM', 'OPTIMISM', 'BASE', 'AVAX'].map((network) => `${network}:USDT`),
  ...['BSC', 'ETH'].map((network) => `${network}:USDC`),
  'TRC20:USDT',
  'EXCHANGE_PAY:USDT',
]);

function isMetadata(value: unknown): boolean {
  if (!isObject(value)) return false;
  const entries = Object.entries(value);
  return (
    entries.length <= 20 && entries.every(([key, text]) => key !== '' && isStorable(key, 40) && isStorable(text, 500))
  );
}

const isLifetime = (value: unknown) => typeof value === 'number' && value % 1 === 0 && value >= 10 && value <= 1_440;
const isMethodList = (value: unknown) =>
  Array.isArray(value) && value.length > 0 && value.every((one) => KNOWN_METHODS.has(String(one)));

const NEWER_FIELDS: readonly [string, (value: unknown) => boolean][] = [
  ['currency', (value) => value === 'USD'],
  ['lifetime_minutes', isLifetime],
  ['metadata', isMetadata],
  ['methods', isMethodList],
];

function judgeFields(text: string, body: Record<string, unknown>, merchantId: string): Verdict {
  const field = (name: string): unknown =>
    Object.hasOwn(body, name) && body[name] !== null && body[name] !== '' ? body[name] : undefined;
  const amountSource = ['string', 'number'].includes(typeof field('amount')) ? sourceOf(text, 'amount') : undefined;
  const amount = amountSource === undefined ? undefined : canonicalAmount(amountSource);
  let fits = amount !== undefined && typeof field('merchant_id') === 'string';
  for (const [name, most] of Object.entries(LENGTHS)) {
    const value = field(name);
    if (value === undefined) continue;
    if (!isStorable(value, most) || (name.endsWith('_url') && !isAddress(value))) fits = false;
  }
  const requestId = field('request_id');
  if (requestId !== undefined && !isStorable(requestId, MAX_REQUEST_ID)) fits = false;
  if (!NEWER_FIELDS.every(([name, isFit]) => field(name) === undefined || isFit(field(name)))) fits = false;
  if (!fits || amount === undefined) return refused('VALIDATION_ERROR');
  return field('merchant_id') === merchantId ? { accepted: true, amount } : refused('INVALID_MERCHANT_ID');
}

export type CreateCase = { body: Buffer | undefined; contentType: string | undefined; encoded: boolean };

/** Expected outcome of a create by an admitted caller. */
export function judgeCreate(sent: CreateCase, caller: Caller, merchantId: string): Verdict {
  const mediaType = sent.contentType?.split(';')[0]?.trim().toLowerCase();
  const isJson = mediaType === 'application/json';
  // The order of refusals: a JSON body with a content coding is refused before the body is read, and a body of another
  // media type is refused after its size was checked.
  if (isJson && sent.encoded) return refused('UNSUPPORTED_MEDIA_TYPE');
  if (sent.body && sent.body.length > MAX_BODY) return refused('PAYLOAD_TOO_LARGE');
  if (!isJson && (mediaType !== undefined || sent.body?.length)) return refused('UNSUPPORTED_MEDIA_TYPE');
  const json = sent.body && readJson(sent.body);
  if (!json || !isObject(json.value)) return refused('VALIDATION_ERROR');
  const verdict = judgeFields(json.text, json.value, merchantId);
  if (verdict.accepted && caller === 'bare') return refused('NO_PAYMENT_METHOD');
  return verdict.accepted && caller === 'poor' ? refused('INSUFFICIENT_BALANCE') : verdict;
}

/** The request_id that the answer must repeat. */
export function echoOf(body: Buffer | undefined): string | undefined {
  const json = body && body.length <= MAX_BODY ? readJson(body) : undefined;
  if (!json || !isObject(json.value) || !Object.hasOwn(json.value, 'request_id')) return undefined;
  const value = json.value['request_id'];
  return isStorable(value, MAX_REQUEST_ID) && value !== '' ? value : undefined;
}

/** Texts that would reveal internals of the server. */
const LEAKS = [
  /node_modules/,
  /\bat (?:async )?[\w.<>]+ \(/,
  /(?:\/work\/|\/home\/|\/tmp\/|file:\/\/)\S*\.(?:ts|js|mjs)/,
  /\b(?:Syntax|Type|Range|Reference|Database|Aggregate|Fastify)?Error:/,
  /\b(?:api_keys|webhook_secrets|ledger_entries|admissions|schema_migrations|invoices_\w+)\b/,
  /\b(?:insert into|select \w+ from|violates|constraint|relation)\b/i,
  /FST_ERR_|HPE_|ECONNRE|\b22P02\b/,
];

const RATE_HEADERS = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];
const PARSER_REFUSALS = new Set([400, 408, 431]);

/** Faults that no answer may have, whatever was requested. `own` is text of the request, which an answer may repeat. */
export function findShapeFaults(answer: Answer, own: readonly string[], raw: boolean): string[] {
  const faults: string[] = [];
  const rated = RATE_HEADERS.every((name) => /^\d+$/.test(answer.headers.get(name) ?? ''));
  if (!rated && !(raw && PARSER_REFUSALS.has(answer.status))) faults.push('no rate headers');
  if (answer.answers !== 1) faults.push(`${answer.answers} answers`);
  let said = answer.body;
  for (const text of own) if (text !== '') said = said.replaceAll(text, '');
  for (const leak of LEAKS) if (leak.test(said)) faults.push(`leaks ${leak.source}`);
  return faults;
}

export function parseAnswer(answer: Answer, kind: 'create' | 'lookup' | 'list'): { body: unknown; fault?: string } {
  let body: unknown;
  try {
    body = JSON.parse(answer.body);
  } catch {
    return { body: undefined, fault: 'the answer is not JSON' };
  }
  const success = { create: merchantCreatedSchema, lookup: foundSchema, list: invoiceListSchema }[kind];
  const parsed = (answer.status === 200 ? success : errorSchema).safeParse(body);
  if (!parsed.success) return { body, fault: `shape: ${parsed.error.issues[0]?.message}` };
  if ('error_code' in parsed.data && new PublicError(parsed.data.error_code).status !== answer.status)
    return { body, fault: `${parsed.data.error_code} with status ${answer.status}` };
  return { body };
}
