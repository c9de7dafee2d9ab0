/**
 * Refusals of clients, word for word: readers tell kinds of refusal apart by their wording, and rigs refuse in the same
 * words. `{given}`, `{limit}`, `{head}`, `{from}` and `{to}` stand for numbers of the question or of the node.
 */

export type Unknown = 'unknown';

/**
 * Where in the answer a refusal appears. `call`: as the answer to the refused call. `rest`: for every call of a batch
 * after the one that reached the limit. `first`: as the only answer in the list, under the first call's id. `whole`: as
 * one object whose id is null, also for a batch.
 */
type RefusalForm = 'call' | 'rest' | 'first' | 'whole';

export type ClientRefusal = { code: number; message: string; form: RefusalForm };

/** A refusal; null where the client has no such limit, `'unknown'` where the wording of its limit is not known. */
type KnownRefusal = ClientRefusal | Unknown | null;

export type ClientRefusals = {
  /** Refusal of a batch with too many calls. */
  calls: KnownRefusal;
  /** Refusal of an answer with too many bytes. */
  bytes: KnownRefusal;
  /** Refusal of a question about logs of too many blocks. */
  range: KnownRefusal;
  /** Refusal of a question about logs that has too many results. */
  results: KnownRefusal;
  /**
   * Refusal of a question about logs above the head. `end`: if the range ends above the head; `beginning`: only if it
   * begins there, and a range that merely ends there is silently cut off. Null where such a range is answered as if it
   * were empty.
   */
  beyondHead: { when: 'end' | 'beginning'; refusal: ClientRefusal } | Unknown | null;
  /**
   * Refusal of the tag `finalized` while the client knows no final block: after a restart, or while votes are missing.
   */
  finalized: KnownRefusal;
};

const SERVER = -32_000;
const INVALID_REQUEST = -32_600;
const INVALID_PARAMS = -32_602;
const TOO_LARGE = -32_003;
const LIMIT_EXCEEDED = -32_005;

/** Geth's refusal of large batches; bsc, coreth and nitro use the same words with other limits. */
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

/** Avalanche's refusals. Blocks that are accepted but not executed have no logs yet, and the client does not say so. */
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

/**
 * Ethereum's refusals, of each kind the strictest: Erigon's for calls and ranges, geth's for bytes and the head,
 * Infura's for results.
 */
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

/**
 * Solana's refusals: providers count calls over time and answer 429; their answers to a batch that is too long differ.
 */
export const SOLANA_REFUSALS: ClientRefusals = {
  calls: 'unknown',
  bytes: null,
  range: null,
  results: null,
  beyondHead: null,
  finalized: null,
};

/** A refusal's words, with numbers in place of the placeholders. */
export function wordRefusal({ message }: ClientRefusal, numbers: Readonly<Record<string, number>>): string {
  return message.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => String(numbers[name] ?? placeholder));
}
