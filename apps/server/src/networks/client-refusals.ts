/**
 * Refusals of clients, verbatim: readers classify them by wording, and rigs imitate them. `{given}`, `{limit}`,
 * `{head}`, `{from}` and `{to}` are numbers of the request or node.
 */

export type Unknown = 'unknown';

/**
 * `call`: in place of the refused call's answer. `rest`: for every call after the limit. `first`: as the only answer,
 * under the first call's id. `whole`: as one object with null id, also for a batch.
 */
type RefusalForm = 'call' | 'rest' | 'first' | 'whole';

export type ClientRefusal = { code: number; message: string; form: RefusalForm };

type KnownRefusal = ClientRefusal | Unknown | null;

export type ClientRefusals = {
  calls: KnownRefusal;
  bytes: KnownRefusal;
  range: KnownRefusal;
  results: KnownRefusal;
  /**
   * Logs above the head. `end`: if the range ends above it. `beginning`: only if it begins there; a range that just
   * ends there is silently cut off. Null where it is answered as empty.
   */
  beyondHead: { when: 'end' | 'beginning'; refusal: ClientRefusal } | Unknown | null;
  /** The tag `finalized` without a known final block: after a restart, or while votes are missing. */
  finalized: KnownRefusal;
};

const SERVER = -32_000;
const INVALID_REQUEST = -32_600;
const INVALID_PARAMS = -32_602;
const TOO_LARGE = -32_003;
const LIMIT_EXCEEDED = -32_005;

/** Geth's refusal of large batches; bsc, coreth and nitro use the same text with other limits. */
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

/** Blocks that are accepted but not executed have no logs yet, without any sign. */
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

/** The strictest of each kind: Erigon's for calls and ranges, geth's for bytes and the head, Infura's for results. */
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

/** Providers count calls over time and answer 429; their answers to long batches differ. */
export const SOLANA_REFUSALS: ClientRefusals = {
  calls: 'unknown',
  bytes: null,
  range: null,
  results: null,
  beyondHead: null,
  finalized: null,
};

/** A refusal's text with its placeholders filled in. */
export function wordRefusal({ message }: ClientRefusal, numbers: Readonly<Record<string, number>>): string {
  return message.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => String(numbers[name] ?? placeholder));
}
