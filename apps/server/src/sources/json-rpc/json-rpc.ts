import { z } from 'zod';
import { FetchError, fetchJson } from '../../lib/fetch-json.ts';
import type { SourceErrorOptions } from '../chain-source.ts';
import { SourceError } from '../chain-source.ts';
import type { RpcRefusal, Verdict } from './classify-refusal.ts';
import { classifyRefusal, tooMuch } from './classify-refusal.ts';
import type { LimitMemory } from './limit-memory.ts';
import { LIMIT_PAUSE_MS } from './limit-memory.ts';
import type { RpcCall } from './rpc-call.ts';
import { countBlocks } from './rpc-call.ts';

/** JSON-RPC batches over HTTP, with what providers really answer: errors under status 200, HTML, limits in prose. */

export const TIMEOUT_MS = 15_000;
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const MAX_SHOWN_CHARACTERS = 300;

export type RpcAnswer = { result: unknown; error: null } | { error: SourceError };

const errorSchema = z.union([
  z.object({ code: z.number().optional(), message: z.string().default('') }),
  // Some gateways answer with a sentence instead of an error object.
  z.string().transform((message): RpcRefusal => ({ message })),
]);
const answerSchema = z.array(
  z.union([
    z.object({ id: z.number(), result: z.unknown().optional(), error: errorSchema.nullish() }),
    // A batch that is refused as a whole has no call id.
    z.object({ id: z.null().optional(), error: errorSchema }),
  ]),
);
/** Not JSON-RPC: the rate limiter of Tron nodes, and gateway errors. */
const foreignSchema = z.union([
  z.object({ Error: z.string() }).transform(({ Error: message }): RpcRefusal => ({ message, byLimiter: true })),
  z.object({ code: z.number().optional(), message: z.string() }),
]);

type Asked = {
  blocks: number;
  /** Decides whether an unclear limit is on requests or on blocks. */
  judgeLimit: () => 'rate' | 'range';
};

function sourceError(verdict: Verdict, asked: Asked, text: string, options: SourceErrorOptions = {}): SourceError {
  const kind = verdict.isUnclear === true ? asked.judgeLimit() : verdict.kind;
  const suggestedRange = verdict.suggestedRange ?? (kind === 'range' ? Math.floor(asked.blocks / 2) : undefined);
  return new SourceError(kind, text.slice(0, MAX_SHOWN_CHARACTERS), {
    ...options,
    ...(suggestedRange !== undefined && { suggestedRange }),
    ...(verdict.isUnclear === true && kind === 'rate' && { retryAfterMs: LIMIT_PAUSE_MS }),
  });
}

function refusalError(refusal: RpcRefusal, asked: Asked, method: string | undefined): SourceError {
  const { code, message } = refusal;
  const text = [`${method ?? 'batch'}:`, code, message].filter((part) => part !== undefined).join(' ');
  return sourceError(classifyRefusal(refusal, asked.blocks), asked, text);
}

function findRefusal(raw: unknown): RpcRefusal | undefined {
  const answers = answerSchema.safeParse(Array.isArray(raw) ? raw : [raw]);
  return answers.data?.find(({ error }) => error)?.error ?? foreignSchema.safeParse(raw).data;
}

/** Rate limits; some providers use other statuses too. */
const RATE_STATUSES: ReadonlySet<number> = new Set([429]);
const TOO_LARGE_STATUS = 413;
const UNAVAILABLE_STATUS = 503;

function verdictOf(cause: FetchError, blocks: number, rateStatuses: ReadonlySet<number>): Verdict {
  if (cause.kind === 'too-large' || cause.kind === 'timeout') return tooMuch(blocks);
  const { status, answer, retryAfterSeconds } = cause;
  if (status === undefined || cause.kind !== 'status') return { kind: 'unavailable' };
  const refusal = findRefusal(answer);
  const told: Verdict = refusal ? classifyRefusal(refusal, blocks) : { kind: 'unavailable' };
  if (told.kind !== 'unavailable' && told.isUnclear !== true) return told;
  if (status === TOO_LARGE_STATUS) return tooMuch(blocks);
  const rest = rateStatuses.has(status) || (status === UNAVAILABLE_STATUS && retryAfterSeconds !== undefined);
  return rest ? { kind: 'rate' } : told;
}

/** A wholly failed request's error: by its refusal, or by HTTP status where that is unclear. */
export function transportError(
  cause: unknown,
  asked: Asked,
  rateStatuses: ReadonlySet<number> = RATE_STATUSES,
): SourceError {
  if (!(cause instanceof FetchError))
    return new SourceError('unavailable', 'The provider could not be asked.', { cause });
  const verdict = verdictOf(cause, asked.blocks, rateStatuses);
  const words = findRefusal(cause.answer)?.message;
  const text = words === undefined ? cause.message : `${cause.message} ${words}`;
  const { retryAfterSeconds } = cause;
  const tellsPause = verdict.kind === 'rate' && retryAfterSeconds !== undefined;
  return sourceError(verdict, asked, text, { cause, ...(tellsPause && { retryAfterMs: retryAfterSeconds * 1000 }) });
}

/** After a timeout another provider may be faster; after a refused range fewer blocks are requested. */
export function isTimeout(cause: unknown): boolean {
  return cause instanceof SourceError && cause.cause instanceof FetchError && cause.cause.kind === 'timeout';
}

export type RpcOptions = {
  timeoutMs?: number | undefined;
  maxBytes?: number;
  headers?: Readonly<Record<string, string>>;
  rateStatuses?: ReadonlySet<number>;
  limits?: LimitMemory;
};

function createAsked(calls: readonly RpcCall[], limits: LimitMemory | undefined): Asked {
  const blocks = countBlocks(calls);
  let judged: ReturnType<LimitMemory['judge']> | undefined;
  // Judged once per request: refusals of several calls must not count as repeated.
  return { blocks, judgeLimit: () => (judged ??= limits?.judge(blocks) ?? 'rate') };
}

/** Results or errors in call order. Throws when the request is refused as a whole. */
export async function askEach(url: string, calls: readonly RpcCall[], options: RpcOptions = {}): Promise<RpcAnswer[]> {
  const { timeoutMs = TIMEOUT_MS, maxBytes = MAX_ANSWER_BYTES, headers = {}, rateStatuses, limits } = options;
  const asked = createAsked(calls, limits);
  const body = calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }));
  const raw = await fetchJson(url, { timeoutMs, maxBytes, body, headers }).catch((cause: unknown) => {
    throw transportError(cause, asked, rateStatuses);
  });
  const parsed = answerSchema.safeParse(Array.isArray(raw) ? raw : [raw]);
  const whole = parsed.success
    ? parsed.data.find(({ id, error }) => error && typeof id !== 'number')?.error
    : undefined;
  const refused = whole ?? foreignSchema.safeParse(raw).data;
  if (refused) throw refusalError(refused, asked, undefined);
  if (!parsed.success) throw new SourceError('unavailable', 'The provider answered something that is not JSON-RPC.');
  const byId = new Map(parsed.data.map((answer) => [answer.id, answer]));
  const answers = calls.map(({ method }, id): RpcAnswer => {
    const answer = byId.get(id);
    if (answer?.error) return { error: refusalError(answer.error, asked, method) };
    const result = answer && 'result' in answer ? answer.result : undefined;
    if (result === undefined) return { error: new SourceError('inconsistent', `${method} was not answered.`) };
    return { result, error: null };
  });
  if (answers.every(({ error }) => error === null)) limits?.forget(asked.blocks);
  return answers;
}

/** Throws the first refusal, or else an error for the first unanswered call. */
export function requireResults(answers: readonly RpcAnswer[]): unknown[] {
  const errors = answers.flatMap(({ error }) => error ?? []);
  const thrown = errors.find(({ kind }) => kind !== 'inconsistent') ?? errors[0];
  if (thrown) throw thrown;
  return answers.map((answer) => (answer.error === null ? answer.result : null));
}

/** Results in call order. Throws when one is missing or an error. */
export async function callBatch(url: string, calls: readonly RpcCall[], options?: RpcOptions): Promise<unknown[]> {
  return requireResults(await askEach(url, calls, options));
}
