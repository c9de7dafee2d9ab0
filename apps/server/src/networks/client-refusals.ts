/**
 * What clients say when they do not answer, word for word: readers tell the kinds of refusal apart by them, and rigs refuse
 * in the same words. `{given}`, `{limit}`, `{head}`, `{from}` and `{to}` stand for numbers of the question or of the node.
 */

export type Unknown = 'unknown';

/**
 * Where a refusal stands. `call`: it is the answer to that call. `rest`: it answers every call of a batch that comes after the
 * one that reached the limit. `first`: a list with this answer alone, under the id of the first call. `whole`: one object
 * whose id is null, also for a batch.
 */
export type RefusalForm = 'call' | 'rest' | 'first' | 'whole';

export type ClientRefusal = { code: number; message: string; form: RefusalForm };

/** Null where the client has no such limit; `'unknown'` where it has one and nobody wrote down its words. */
type KnownRefusal = ClientRefusal | Unknown | null;

export type ClientRefusals = {
  /** A batch of too many calls. */
  calls: KnownRefusal;
  /** An answer of too many bytes. */
  bytes: KnownRefusal;
  /** Logs of too many blocks. */
  range: KnownRefusal;
  /** Too many logs. */
  results: KnownRefusal;
  /**
   * Logs of blocks above the head: refused as soon as the end of the range lies there, or only when its beginning does and
   * cut off in silence otherwise. Null where the answer is always as if there were nothing.
   */
  beyondHead: { when: 'end' | 'beginning'; refusal: ClientRefusal } | Unknown | null;
  /** The tag `finalized` while the client knows no final block: after a restart, or while votes are missing. */
  finalized: KnownRefusal;
};

const SERVER = -32_000;
const INVALID_REQUEST = -32_600;
const INVALID_PARAMS = -32_602;
const TOO_LARGE = -32_003;
const LIMIT_EXCEEDED = -32_005;

/** Also of bsc, coreth and nitro, which differ in their sizes only. */
const GETH_CALLS: ClientRefusal = { code: INVALID_REQUEST, message: 'batch too large', form: 'first' };
const GETH_BYTES: ClientRefusal = { code: TOO_LARGE, message: 'response too large', form: 'rest' };
const FINALIZED_HEADER: ClientRefusal = { code: SERVER, message: 'finalized header not found', form: 'call' };
const INVALID_RANGE = {
  when: 'beginning',
  refusal: { code: SERVER, message: 'invalid block range params', form: 'call' },
} as const;

export const BSC_REFUSALS: ClientRefusals = {
  calls: GETH_CALLS,
  bytes: GETH_BYTES,
  range: null,
  results: null,
  beyondHead: INVALID_RANGE,
  finalized: FINALIZED_HEADER,
};

export const BOR_REFUSALS: ClientRefusals = {
  ...BSC_REFUSALS,
  calls: { code: SERVER, message: 'batch limit {limit} exceeded: {given} requests given', form: 'whole' },
  finalized: { code: SERVER, message: 'finalized block not found', form: 'call' },
};

export const NITRO_REFUSALS: ClientRefusals = { ...BSC_REFUSALS, finalized: 'unknown' };

/** Blocks that are accepted and not executed have no logs, and nobody says so. */
export const AVALANCHE_REFUSALS: ClientRefusals = { ...BSC_REFUSALS, beyondHead: 'unknown', finalized: 'unknown' };

export const RETH_REFUSALS: ClientRefusals = {
  calls: null,
  bytes: { code: -32_011, message: 'The batch response was too large', form: 'whole' },
  range: { code: INVALID_PARAMS, message: 'query exceeds max block range {limit}', form: 'call' },
  results: {
    code: INVALID_PARAMS,
    message: 'query exceeds max results {limit}, retry with the range {from}-{to}',
    form: 'call',
  },
  beyondHead: {
    when: 'end',
    refusal: {
      code: INVALID_PARAMS,
      message: 'block range extends beyond current head block: requested {given}, head {head}',
      form: 'call',
    },
  },
  finalized: { code: -32_001, message: 'block not found: finalized', form: 'call' },
};

/** The strictest of each: Erigon's calls and ranges, geth's bytes and head, Infura's results. */
export const ETHEREUM_REFUSALS: ClientRefusals = {
  calls: {
    code: INVALID_REQUEST,
    message: 'batch limit {limit} exceeded (can increase by --rpc.batch.limit). Requested batch of size: {given}',
    form: 'first',
  },
  bytes: GETH_BYTES,
  range: {
    code: INVALID_PARAMS,
    message: 'query block range exceeds server limit, narrow your filter: {limit}',
    form: 'call',
  },
  results: {
    code: LIMIT_EXCEEDED,
    message: 'query returned more than {limit} results. Try with this block range [{from}, {to}].',
    form: 'call',
  },
  beyondHead: {
    when: 'end',
    refusal: { code: INVALID_PARAMS, message: 'block range extends beyond current head block', form: 'call' },
  },
  finalized: FINALIZED_HEADER,
};

export const JAVA_TRON_REFUSALS: ClientRefusals = {
  calls: { code: LIMIT_EXCEEDED, message: 'Batch size {given} exceeds the limit of {limit}', form: 'whole' },
  bytes: { code: TOO_LARGE, message: 'Response byte size exceeds the limit of {limit}', form: 'whole' },
  range: { code: INVALID_PARAMS, message: 'exceed max block range: {limit}', form: 'call' },
  results: { code: LIMIT_EXCEEDED, message: 'query returned more than {limit} results', form: 'call' },
  beyondHead: null,
  finalized: null,
};

/** Providers count calls over time and answer 429; what they say to a batch that is too long differs. */
export const SOLANA_REFUSALS: ClientRefusals = {
  calls: 'unknown',
  bytes: null,
  range: null,
  results: null,
  beyondHead: null,
  finalized: null,
};

/** A refusal's words with the numbers in their places. */
export function wordRefusal({ message }: ClientRefusal, numbers: Readonly<Record<string, number>>): string {
  return message.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => String(numbers[name] ?? placeholder));
}
