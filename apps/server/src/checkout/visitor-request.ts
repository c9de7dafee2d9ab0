import type { SelectionRefusalCode } from '@counterfoil/checkout/checkout-view';
import { chooseLanguage } from '@counterfoil/checkout/render-page';
import type { FastifyRequest } from 'fastify';
import { isRecord } from '../lib/record.ts';
import type { RequestBody } from '../api/request-body.ts';
import type { PageAddress, Shown } from './page-address.ts';

/** Reads visitors' input: text of bounded length, codes from a list. */

const MAX_FIELD = 200;

export function readFields(request: FastifyRequest): Record<string, string> {
  const body = request.body as RequestBody | undefined;
  if (!body || 'fault' in body || !isRecord(body.value)) return {};
  const fields = Object.entries(body.value).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1].length <= MAX_FIELD,
  );
  return Object.fromEntries(fields);
}

export function parseForm(bytes: Buffer): RequestBody {
  return { value: Object.fromEntries(new URLSearchParams(bytes.toString('utf8'))) };
}

export function wantsJson(request: FastifyRequest): boolean {
  const { accept = '', 'content-type': type = '' } = request.headers;
  return /^application\/json\b/i.test(type) || /\bapplication\/json\b/i.test(accept);
}

/** A repeated query parameter counts as absent. */
function queried(request: FastifyRequest, name: string): string | undefined {
  const value = (request.query as Record<string, unknown>)[name];
  return typeof value === 'string' && value.length <= MAX_FIELD ? value : undefined;
}

type Language = { language: string; languageFixed: boolean };

export function readLanguage(request: FastifyRequest, sent?: string): Language {
  const asked = sent ?? queried(request, 'lang');
  const language = chooseLanguage(asked, request.headers['accept-language']);
  return { language, languageFixed: asked !== undefined && asked === language };
}

const REFUSALS: Record<SelectionRefusalCode, true> = {
  'not-waiting': true,
  closing: true,
  'not-offered': true,
  'below-minimum': true,
  'volatile-too-long': true,
  'network-unavailable': true,
  'price-unavailable': true,
  'clock-wrong': true,
  'quoting-paused': true,
  'amounts-exhausted': true,
  'too-many-requests': true,
};

export function readRefusal(request: FastifyRequest): SelectionRefusalCode | null {
  const code = queried(request, 'refusal');
  return code !== undefined && Object.hasOwn(REFUSALS, code) ? (code as SelectionRefusalCode) : null;
}

function readShown(request: FastifyRequest): Shown {
  const [network, token] = [queried(request, 'network'), queried(request, 'token')];
  if (network !== undefined && token !== undefined) return { network, token };
  return queried(request, 'choose') === '1' ? 'choice' : 'latest';
}

/** The requested page address; a form may have the language in a field. */
export function readAddress(request: FastifyRequest, sentLanguage?: string): PageAddress {
  return { shown: readShown(request), ...readLanguage(request, sentLanguage) };
}
