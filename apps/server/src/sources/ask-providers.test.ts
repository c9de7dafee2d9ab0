import { describe, expect, test } from 'vitest';
import { createManualClock } from '../lib/clock.ts';
import { FetchError } from '../lib/fetch-json.ts';
import type { Pass, SourceErrorKind } from './chain-source.ts';
import { SourceError } from './chain-source.ts';
import type { AskProviders } from './ask-providers.ts';
import { createAskProviders, nameProviders, namesOf } from './ask-providers.ts';

type Fake = () => Promise<string>;

const clock = createManualClock(0);
const answering: Fake = () => Promise.resolve('answer');
const failing =
  (cause: Error): Fake =>
  () =>
    Promise.reject(cause);
const refusing = (kind: SourceErrorKind, options = {}) => failing(new SourceError(kind, kind, options));
const slow = () => failing(new SourceError('range', 'slow', { cause: new FetchError('timeout', 'slow') }));

/** Providers a, b, c and so on, with a record of which one was asked for which pass. */
function open(...fakes: Fake[]): {
  ask: AskProviders<Fake>;
  asked: string[];
  change: (place: number, to: Fake) => void;
} {
  const asked: string[] = [];
  const current = [...fakes];
  const providers = fakes.map((_fake, place) => {
    const name = String.fromCodePoint(97 + place);
    return { name, provider: () => (current[place] ?? answering)() };
  });
  const ask = createAskProviders(providers, () => Promise.resolve(), clock);
  return {
    ask: (pass, work) =>
      ask(pass, (provider, name) => {
        asked.push(name);
        return work(provider, name);
      }),
    asked,
    change: (place, to) => {
      current[place] = to;
    },
  };
}

const run = ({ ask }: { ask: AskProviders<Fake> }, pass: Pass = 'first') =>
  ask(pass, async (provider, name) => `${name} ${await provider()}`);

describe('who is asked', () => {
  test.each<[string, Pass, string[]]>([
    ['`first` asks the first provider, then the others', 'first', ['a', 'b', 'c']],
    ['`second` asks the second provider, then the others', 'second', ['b', 'c', 'a']],
    ['`not` asks every provider but the first', { not: 'a' }, ['b', 'c']],
    ['`not` asks every provider but the second', { not: 'b' }, ['a', 'c']],
  ])('%s', async (_title, pass, order) => {
    const rig = open(refusing('unavailable'), refusing('unavailable'), refusing('unavailable'));
    await expect(run(rig, pass)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(rig.asked).toEqual(order);
  });

  test('no provider is asked where the only one is the one not to ask', async () => {
    const rig = open(answering);
    await expect(run(rig, { not: 'a' })).rejects.toMatchObject({ kind: 'unavailable', message: /No other provider/ });
    expect(rig.asked).toEqual([]);
  });

  test('where there is one provider it is asked in both reads', async () => {
    const rig = open(answering);
    expect(await run(rig, 'second')).toBe('a answer');
  });

  test('a provider is asked only after it has proved what it serves, which it does once', async () => {
    const proved: string[] = [];
    const providers = nameProviders(['http://one.example', 'http://two.example'], (url) => url);
    const prove = (url: string) => {
      proved.push(url);
      return url.includes('one') ? Promise.reject(new SourceError('unavailable', 'another chain')) : Promise.resolve();
    };
    const ask = createAskProviders(providers, prove, clock);
    for (let times = 0; times < 2; times += 1)
      expect(await ask('first', (_provider, name) => Promise.resolve(name))).toBe('two.example');
    expect(proved).toEqual(['http://one.example', 'http://two.example', 'http://one.example']);
  });
});

describe('addresses', () => {
  test.each<[string, string[], string[]]>([
    ['of two hosts are two providers', ['https://a.example/x', 'https://b.example/x'], ['a.example', 'b.example']],
    ['of one host are one provider', ['https://a.example/x', 'https://a.example/y'], ['a.example']],
    ['of one host with two ports are one', ['http://a.example:8545', 'http://a.example:8546'], ['a.example:8545']],
    ['of one host written differently are one', ['https://a.example', 'https://A.EXAMPLE'], ['a.example']],
    ['of two subdomains are two', ['https://a.b.example', 'https://c.b.example'], ['a.b.example', 'c.b.example']],
    ['on loopback are one per port', ['http://127.0.0.1:1', 'http://127.0.0.1:2'], ['127.0.0.1:1', '127.0.0.1:2']],
    ['on loopback with one port are one', ['http://[::1]:1/x', 'http://[::1]:1/y'], ['[::1]:1']],
  ])('%s', (_title, urls, names) => {
    expect(namesOf(nameProviders(urls, (url) => url))).toEqual(names);
  });

  test('of one host stand in for each other, and the second pass goes to another host', async () => {
    const urls = ['https://a.example/x', 'https://a.example/y', 'https://b.example'];
    const asked: string[] = [];
    const ask = createAskProviders(
      nameProviders(urls, (url) => url),
      () => Promise.resolve(),
      clock,
    );
    const refuse = (url: string) => {
      asked.push(url);
      return Promise.reject(new SourceError('unavailable', 'down'));
    };
    for (const pass of ['first', 'second', { not: 'a.example' }, { only: 'a.example' }] as const) {
      await expect(ask(pass, refuse)).rejects.toThrow('down');
      asked.push('');
    }
    const [x, y, b] = urls;
    expect(asked).toEqual([x, y, b, '', b, x, y, '', b, '', x, y, '']);
  });
});

describe('a question that one provider does not answer', () => {
  test.each<SourceErrorKind>(['not-yet', 'rate', 'unsupported', 'unavailable', 'inconsistent'])(
    'after the refusal %s the next provider is asked',
    async (kind) => {
      const rig = open(refusing(kind), answering);
      expect(await run(rig)).toBe('b answer');
    },
  );

  test('a range that is too large is reported at once: in pieces the same provider answers', async () => {
    const rig = open(refusing('range', { suggestedRange: 7 }), answering);
    await expect(run(rig)).rejects.toMatchObject({ kind: 'range', suggestedRange: 7 });
    expect(rig.asked).toEqual(['a']);
  });

  test('a provider that is too slow is passed over', async () => {
    expect(await run(open(slow(), answering))).toBe('b answer');
  });

  test('a provider that is too slow may be quick enough for less, whatever the others say', async () => {
    await expect(run(open(slow(), refusing('unavailable')))).rejects.toMatchObject({ kind: 'range' });
  });

  test('where no provider answers, the error of the last one is thrown', async () => {
    await expect(run(open(refusing('unavailable'), refusing('not-yet')))).rejects.toMatchObject({ kind: 'not-yet' });
  });
});

describe('a provider that was asked too often', () => {
  test('a provider that was asked too often pauses as long as it wants, and then is asked again', async () => {
    const rig = open(refusing('rate', { retryAfterMs: 7_000 }), answering);
    expect(await run(rig)).toBe('b answer');
    rig.change(0, answering);
    clock.advance(6_999);
    expect(await run(rig)).toBe('b answer');
    clock.advance(1);
    expect(await run(rig)).toBe('a answer');
    expect(rig.asked).toEqual(['a', 'b', 'b', 'a']);
  });

  test.each([
    ['two seconds where it does not say how long', undefined, 2_000],
    ['a minute at most', 86_400_000, 60_000],
  ])('a provider that was asked too often pauses for %s', async (_title, retryAfterMs, pauseMs) => {
    const rig = open(refusing('rate', retryAfterMs === undefined ? {} : { retryAfterMs }), answering);
    await run(rig);
    rig.change(0, answering);
    clock.advance(pauseMs - 1);
    expect(await run(rig)).toBe('b answer');
    clock.advance(1);
    expect(await run(rig)).toBe('a answer');
  });

  test('the only provider is not asked while it pauses: the error says how long that lasts', async () => {
    const rig = open(refusing('rate', { retryAfterMs: 5_000 }));
    await expect(run(rig)).rejects.toMatchObject({ kind: 'rate', retryAfterMs: 5_000 });
    rig.change(0, answering);
    clock.advance(1_000);
    await expect(run(rig)).rejects.toMatchObject({ kind: 'rate', retryAfterMs: 4_000 });
    expect(rig.asked).toEqual(['a']);
    clock.advance(4_000);
    expect(await run(rig)).toBe('a answer');
  });

  test('while a provider pauses the others answer, unless it alone may', async () => {
    const rig = open(answering, refusing('rate', { retryAfterMs: 5_000 }));
    expect(await run(rig, 'second')).toBe('a answer');
    await expect(run(rig, { not: 'a' })).rejects.toMatchObject({ kind: 'rate', retryAfterMs: 5_000 });
    expect(rig.asked).toEqual(['b', 'a']);
  });
});
