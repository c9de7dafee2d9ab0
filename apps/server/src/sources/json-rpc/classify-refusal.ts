import type { SourceErrorKind } from '../chain-source.ts';

/**
 * Nodes and gateways share few codes and no wording, so their phrases are listed here. Unknown refusals are
 * `unavailable`, and the next provider is asked.
 */

export type RpcRefusal = {
  code?: number | undefined;
  message: string;
  /** Whether a rate limiter refused, regardless of its message. */
  byLimiter?: boolean;
};

export type Verdict = {
  kind: SourceErrorKind;
  /** Blocks to request next: as suggested, or half of the refused range. */
  suggestedRange?: number;
  /** An unclear limit counts as a rate limit first, and as a block limit when it repeats after a pause. */
  isUnclear?: boolean;
};

const METHOD_NOT_FOUND = -32_601;
const PRUNED_HISTORY = 4_444;
/** Unknown block: from a draft of the execution API, and "resource not found". */
const UNKNOWN_BLOCK: ReadonlySet<number | undefined> = new Set([-39_001, -32_001]);
const TOO_MANY_REQUESTS = 429;
const LIMIT_EXCEEDED = -32_005;
const RESPONSE_TOO_LARGE = -32_003;
const RANGE_CODES: ReadonlySet<number | undefined> = new Set([RESPONSE_TOO_LARGE, -32_614]);

const PRUNED = /\bpruned\b|history (?:is )?(?:unavailable|expired)/i;
const RATE =
  /rate.?limit|request rate|too many requests|request count|requests? (?:limit|per)|per second|quota|capacity|compute units|frequency|computing resources/i;
/** Blocks above the head: our ranges never end before they begin, despite "invalid block range params". */
const NOT_YET =
  /beyond (?:the )?(?:current|latest|chain)|(?:block|header)(?: for hash)? not found|unknown block|invalid block range params|unfinalized data|still syncing|BlockOutOfRange/i;
const NEVER = /addresses or topics|max topics/i;
const TOO_LARGE =
  /too large|response size|too many (?:logs|results)|more than [\d,]+ (?:results|logs)|max(?:imum)? results|\bbatch\b|timed? ?out/i;
const RANGE = /\branges?\b|blocks distance|too many blocks/i;
const UNSUPPORTED = /not supported|unsupported|does not exist|invalid block number/i;
const LIMIT = /limit|exceed|too many/i;

const NUMBER = String.raw`([\d,]{1,9}(?:\.\d)?k?)`;
/** Phrases with the largest range of blocks, not those about results or batch size. */
const LARGEST_RANGES = [
  `max(?:imum)? block range:? ${NUMBER}`,
  `range ${NUMBER} exceeds limit of ${NUMBER}`,
  `limited to(?: an?)? ${NUMBER} (?:block )?range`,
  `up to an? ${NUMBER} block range`,
  `blocks distance: ${NUMBER}`,
  `ranges over ${NUMBER} blocks`,
  `too many blocks .*maximum is set to ${NUMBER}`,
  `block range exceeds server limit, narrow your filter: ${NUMBER}`,
].map((text) => new RegExp(text, 'i'));
const HEIGHT = String.raw`(0x[0-9a-f]{1,14}|\d{1,15})`;
/** Phrases with two heights between which the provider would answer. */
const WORKING_RANGES = [`\\[${HEIGHT}, ?${HEIGHT}\\]`, `range ${HEIGHT} ?- ?${HEIGHT}`].map(
  (text) => new RegExp(text, 'i'),
);

function parseNumber(text: string): number {
  const digits = text.toLowerCase().replaceAll(',', '');
  return digits.endsWith('k') ? Number(digits.slice(0, -1)) * 1_000 : Number(digits);
}

function suggestedRangeOf(message: string): number | undefined {
  for (const pattern of WORKING_RANGES) {
    const [, from, to] = pattern.exec(message) ?? [];
    if (from !== undefined && to !== undefined && Number(to) >= Number(from)) return Number(to) - Number(from) + 1;
  }
  for (const pattern of LARGEST_RANGES) {
    const told = pattern.exec(message)?.at(-1);
    if (told !== undefined && parseNumber(told) >= 1) return Math.floor(parseNumber(told));
  }
  return undefined;
}

/** For too many bytes or a timeout: a smaller range helps if there were several blocks. */
export function tooMuch(blocks: number, suggested?: number): Verdict {
  if (blocks <= 1) return { kind: 'unavailable' };
  return { kind: 'range', suggestedRange: suggested ?? Math.floor(blocks / 2) };
}

/** `blocks` of the request. A refused single one is not too many: the provider does not have it yet. */
export function classifyRefusal({ code, message, byLimiter }: RpcRefusal, blocks: number): Verdict {
  if (code === METHOD_NOT_FOUND) return { kind: 'unsupported' };
  if (code === PRUNED_HISTORY || PRUNED.test(message)) return { kind: 'unsupported' };
  if (byLimiter === true || code === TOO_MANY_REQUESTS || RATE.test(message)) return { kind: 'rate' };
  if (UNKNOWN_BLOCK.has(code) || NOT_YET.test(message)) return { kind: 'not-yet' };
  if (NEVER.test(message)) return { kind: 'unsupported' };
  if (RANGE_CODES.has(code) || TOO_LARGE.test(message)) return tooMuch(blocks, suggestedRangeOf(message));
  if (RANGE.test(message))
    return blocks > 1 ? tooMuch(blocks, suggestedRangeOf(message)) : { kind: blocks === 1 ? 'not-yet' : 'unavailable' };
  if (UNSUPPORTED.test(message)) return { kind: 'unsupported' };
  if (code === LIMIT_EXCEEDED || LIMIT.test(message))
    return blocks > 1 ? { kind: 'rate', isUnclear: true } : { kind: 'rate' };
  return { kind: 'unavailable' };
}
