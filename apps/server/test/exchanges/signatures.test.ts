import ccxt from 'ccxt';
import { describe, expect, test } from 'vitest';
import { fc } from '../../rig/fakes/seeded-properties.ts';
import { signBinance } from '../../src/platforms/binance/sign-binance.ts';
import { signBybit } from '../../src/platforms/bybit/sign-bybit.ts';
import { signKucoin } from '../../src/platforms/kucoin/sign-kucoin.ts';
import { signOkx } from '../../src/platforms/okx/sign-okx.ts';

/**
 * What we sign is, byte for byte, what ccxt would send: other people wrote it, and use it every day. Nothing goes out. Our
 * clients send GET requests without bodies and nothing else, so bodies are not among what is random here.
 */

const RUNS = 1_000;
const RECEIVE_WINDOW_MS = 5_000;

type Signed = { url: string; headers: Record<string, string> };
type Oracle = {
  sign: (path: string, api: string, method: string, parameters: Record<string, unknown>) => Signed;
  options: Record<string, unknown>;
};
type Platform = 'binance' | 'okx' | 'bybit' | 'kucoin';
type Case = {
  credentials: { apiKey: string; apiSecret: string; passphrase: string };
  path: string;
  parameters: Record<string, string>;
  nowMs: number;
};

/** A client of ccxt with the keys of a case and a stopped clock. Creating one per case would take a minute. */
function openOracle(platform: Platform): (one: Case) => Oracle {
  const options = { timeDifference: 0, recvWindow: RECEIVE_WINDOW_MS };
  const oracle = new ccxt[platform]({ options }) as unknown as Oracle;
  return ({ credentials: { apiKey, apiSecret, passphrase }, nowMs }) =>
    Object.assign(oracle, { apiKey, secret: apiSecret, password: passphrase, nonce: () => nowMs });
}

/** A text of these characters. */
function textOf(characters: string, minLength: number, maxLength: number): fc.Arbitrary<string> {
  return fc.string({ unit: fc.constantFrom(...characters.split('')), minLength, maxLength });
}

/** Any characters: reserved ones, those of other languages, and those that are no letters at all. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  textOf(` !"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}~`, 0, 20),
  fc.integer().map(String),
);
/** Names begin with a letter that no parameter with a meaning to ccxt begins with. */
const parameters = fc.dictionary(
  text.map((name) => `q${name}`),
  text,
  { maxKeys: 6, noNullPrototype: true },
);
const token = textOf('abcdefghijkmnpqrstuwxyzABCDEF0123456789-', 8, 64);
const segment = textOf('abcdefgh0123456789-_.~', 1, 12);

const anyCase: fc.Arbitrary<Case> = fc.record({
  credentials: fc.record({ apiKey: token, apiSecret: token, passphrase: text.map((phrase) => `p${phrase}`) }),
  path: fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/')),
  parameters,
  nowMs: fc.integer({ min: 1_500_000_000_000, max: 4_000_000_000_000 }),
});

/** Parameters with the values that a query holds, for those clients of ccxt that leave the encoding to their users. */
function encoded(values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [encodeURIComponent(name), encodeURIComponent(value)]),
  );
}

const afterHost = ({ url }: Signed) => url.replace(/^https:\/\/[^/]+/, '');
const queryOf = (signed: Signed) => signed.url.split('?').slice(1).join('?');

/** Headers without these: by default, without the one that says only how a body would be written. */
function headersOf({ headers }: Pick<Signed, 'headers'>, without = /^Content-Type$/): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !without.test(name)));
}

function compare(check: (one: Case) => void): void {
  let runs = 0;
  fc.assert(
    fc.property(anyCase, (one) => {
      runs += 1;
      check(one);
    }),
    { numRuns: RUNS },
  );
  expect(runs).toBe(RUNS);
}

describe(`${RUNS} random requests are signed as ccxt signs them`, () => {
  test('Binance', () => {
    const oracle = openOracle('binance');
    compare((one) => {
      const theirs = oracle(one).sign(one.path, 'sapi', 'GET', one.parameters);
      const ours = signBinance(
        { timestamp: one.nowMs, ...one.parameters, recvWindow: RECEIVE_WINDOW_MS },
        one.credentials,
      );
      expect(ours).toEqual({ query: queryOf(theirs), headers: headersOf(theirs) });
    });
  });

  test('OKX', () => {
    const oracle = openOracle('okx');
    compare((one) => {
      const theirs = oracle(one).sign(one.path, 'private', 'GET', one.parameters);
      expect(signOkx(one.credentials, { path: afterHost(theirs), nowMs: one.nowMs })).toEqual(headersOf(theirs));
    });
  });

  test('Bybit', () => {
    const oracle = openOracle('bybit');
    compare((one) => {
      const theirs = oracle(one).sign(`v5/${one.path}`, 'private', 'GET', encoded(one.parameters));
      expect(signBybit(one.credentials, { query: queryOf(theirs), nowMs: one.nowMs })).toEqual(headersOf(theirs));
    });
  });

  test('KuCoin', () => {
    const oracle = openOracle('kucoin');
    // ccxt names itself as a partner, and the version of keys before today's; neither is a part of what is signed.
    const unsigned = /^KC-API-(PARTNER|KEY-VERSION)/;
    compare((one) => {
      const theirs = oracle(one).sign(one.path, 'private', 'GET', encoded(one.parameters));
      const headers = signKucoin(one.credentials, { path: afterHost(theirs), nowMs: one.nowMs, version: '3' });
      expect(headersOf({ headers }, unsigned)).toEqual(headersOf(theirs, unsigned));
    });
  });
});

/**
 * The one example with a result in the documentation of the other three platforms, of a request with a body, which our
 * clients never send: https://www.kucoin.com/docs/basic-info/connection-method/authentication/signing-a-message
 */
test("ccxt itself signs KuCoin's own example as KuCoin does", () => {
  const credentials = { apiKey: '5c2db93503aa674c74a31734', apiSecret: 'f03a5284-5c39-4aaa-9b20-dea10bdcf8e3' };
  const example = { credentials: { ...credentials, passphrase: 'Abc123456' }, path: '', parameters: {} };
  const oracle = openOracle('kucoin')({ ...example, nowMs: 1_547_015_186_532 });
  const { headers } = oracle.sign('deposit-addresses', 'private', 'POST', { currency: 'BTC', version: 'v1' });
  expect(headers['KC-API-SIGN']).toBe('7QP/oM0ykidMdrfNEUmng8eZjg/ZvPafjIqmxiVfYu4=');
});
