import { parseSync } from 'oxc-parser';
import { describe, expect, test } from 'vitest';
import type { ParsedFile } from '../read-files.ts';
import type { Exception } from './exceptions.ts';
import { EXCEPTIONS } from './exceptions.ts';
import type { Violation } from './find-violations.ts';
import { findViolations } from './find-violations.ts';
import { readGateFiles } from './gate-files.ts';

/** No clock, no date and no chance decides in what the gate runs. */

const isMatch = (violation: Violation, { path, rule }: Exception) =>
  violation.path === path && violation.rule.startsWith(rule);

describe('in tests, rigs, drills and configurations of the gate', () => {
  const violations = findViolations(readGateFiles());

  test('no clock, no date and no chance decides, and every limit is long enough', () => {
    const found = violations.filter((violation) => !EXCEPTIONS.some((one) => isMatch(violation, one)));
    expect(found.map(({ path, line, rule }) => `${path}:${line}: ${rule}`)).toEqual([]);
  });

  test('exceptions are at most five, each is used and has a reason', () => {
    expect(EXCEPTIONS.length).toBeLessThanOrEqual(5);
    const unused = EXCEPTIONS.filter((one) => !violations.some((violation) => isMatch(violation, one)));
    expect(unused).toEqual([]);
    expect(EXCEPTIONS.filter(({ reason }) => reason === '')).toEqual([]);
  });
});

function parsed(path: string, text: string): ParsedFile {
  const { program, comments, errors } = parseSync(path, text);
  expect(errors).toEqual([]);
  return { path, text, lines: text.split('\n').length - 1, program, comments };
}

const rulesOf = (text: string, path = 'apps/server/test/sample.test.ts') =>
  findViolations([parsed(path, text)]).map(({ rule }) => rule);

const UPPER = 'upper bound on elapsed time';
const LOOP = 'loop until a deadline: use waitUntil or expect.poll';
const EXACT = 'exact value of an elapsed time';
const DATE = 'choice by the date';

describe('an upper bound on elapsed time is found', () => {
  test.each([
    ['written in one expression', 'expect(Date.now() - started).toBeLessThan(100);'],
    [
      'of a named value',
      'const a = performance.now(); const took = performance.now() - a; expect(took).toBeLessThan(9);',
    ],
    ['that may be reached', 'const a = Date.now(); expect(Date.now() - a).toBeLessThanOrEqual(9);'],
    ['by a matcher that is turned round', 'const a = Date.now(); expect(Date.now() - a).not.toBeGreaterThan(9);'],
    ['with the limit as the subject', 'const a = Date.now(); expect(LIMIT_MS).toBeGreaterThan(Date.now() - a);'],
    ['by closeness', 'const a = Date.now(); expect(Date.now() - a).toBeCloseTo(100, -2);'],
    ['by a distance', 'expect(Math.abs(row.due - Date.now())).toBeLessThan(60);'],
    ['in a condition', "const a = Date.now(); if (Date.now() - a > 500) throw new Error('slow');"],
    ['in a condition that is expected', 'const a = Date.now(); expect(Date.now() - a < 500).toBe(true);'],
    ['of dates', 'const a = new Date(); expect(new Date().getTime() - a.getTime()).toBeLessThan(9);'],
    [
      'of hrtime',
      'const a = process.hrtime.bigint(); expect(Number(process.hrtime.bigint() - a) / 1e6).toBeLessThan(9);',
    ],
    ['of the product clock', 'const a = steadyClock.nowMs(); expect(steadyClock.nowMs() - a).toBeLessThan(9);'],
    ['of a clock under another name', 'const now = Date.now; const a = now(); expect(now() - a).toBeLessThan(9);'],
    [
      'of an unpacked array',
      'const [a, b] = [performance.now(), 1]; expect((performance.now() - a) / b).toBeLessThan(9);',
    ],
    [
      'of an unpacked object',
      'const read = () => { const a = Date.now(); return { tookMs: Date.now() - a, n: 1 }; }; const { tookMs: ms } = read(); expect(ms).toBeLessThan(9);',
    ],
    [
      'of a function',
      'function since(from) { return Date.now() - from; } const a = Date.now(); expect(since(a)).toBeLessThan(9);',
    ],
    [
      'inside of a function that is given it',
      'const judge = (ms) => { if (ms > 9) throw new Error(); }; const a = Date.now(); judge(Date.now() - a);',
    ],
    [
      'of a collection',
      'const all = []; const a = Date.now(); all.push(Date.now() - a); expect(Math.max(...all)).toBeLessThan(9);',
    ],
    [
      'of every element',
      'const a = Date.now(); const all = [Date.now() - a]; expect(all.every((ms) => ms < 9)).toBe(true);',
    ],
    [
      'of a property',
      'const figures = { ms: 0 }; const a = Date.now(); figures.ms += Date.now() - a; expect(figures.ms).toBeLessThan(9);',
    ],
    ['that is polled', 'const a = Date.now(); await expect.poll(() => Date.now() - a).toBeLessThan(9);'],
    ['by a moment in the recent past', 'expect(row.at).toBeGreaterThan(Date.now() - 5_000);'],
    ['by a moment in the near future', 'const a = Date.now(); expect(row.at).toBeLessThan(a + 5_000);'],
    ['by what is left', 'expect(row.endsAt - Date.now()).toBeGreaterThan(86_390_000);'],
    ['by a helper', "import { expectBetween } from 'x'; const a = Date.now(); expectBetween(Date.now() - a, 0, 9);"],
    ['of a duration that the product reports', 'expect(result.durationMs).toBeLessThan(1_000);'],
  ])('%s', (_what, text) => {
    expect(rulesOf(text)).toEqual([UPPER]);
  });

  test('across files', () => {
    const clock = 'export async function measure() { const a = performance.now(); return performance.now() - a; }';
    const reader = 'export const open = () => ({ arrivals: [{ atMs: performance.now() }] });';
    const user = "import { measure } from './measure.ts'; expect(await measure()).toBeLessThan(9);";
    const other =
      "import { open } from './reader.ts'; const [a, b] = open().arrivals; expect(b.atMs - a.atMs).toBeLessThan(9);";
    const files = Object.entries({ measure: clock, reader, user, other });
    const found = findViolations(files.map(([name, text]) => parsed(`e2e/${name}.ts`, text)));
    expect(found.map(({ path, rule }) => [path, rule])).toEqual([
      ['e2e/user.ts', UPPER],
      ['e2e/other.ts', UPPER],
    ]);
  });

  test.each([
    ['time left', 'query(`select due_at - now() as rest from jobs`)', 'time measured in SQL'],
    [
      'time passed',
      "query('select clock_timestamp() - burst_started_at as age from admissions')",
      'time measured in SQL',
    ],
    ['recent', "query(`select created_at > now() - interval '1 minute' as is_new from invoices`)", `${UPPER} in SQL`],
  ])('in SQL: %s', (_what, text, rule) => {
    expect(rulesOf(text)).toEqual([rule]);
  });
});

describe('an exact time, a loop and a choice by the date are found', () => {
  test.each([
    ['an exact elapsed time', 'const a = Date.now(); expect(Math.ceil((Date.now() - a) / 1000)).toBe(1);', EXACT],
    ['exact time left', 'expect(Math.round(row.endsAt - Date.now() / 1000)).toBe(24);', EXACT],
    ['the present moment', 'expect(row).toEqual({ at: Math.floor(Date.now() / 1000) });', EXACT],
    ['a loop until a deadline', 'const end = Date.now() + 9; while (Date.now() < end) await look();', LOOP],
    ['a loop whose deadline is given', 'async function until(end) { while (Date.now() < end) await look(); }', LOOP],
    ['a loop that throws', 'const end = Date.now() + 9; for (;;) { if (Date.now() > end) throw new Error(); }', LOOP],
    ['a slice by the day', 'const first = Math.floor(Date.now() / DAY_MS); const one = first % all.length;', DATE],
    ['a day of the week', 'if (new Date().getDay() === 0) skip();', DATE],
    ['an index', 'const one = all[Math.floor(Date.now() / DAY_MS)];', DATE],
    ['a seed', 'const next = seededNumbers(Date.now());', DATE],
    ['a seed as an option', 'run({ seed: Date.now() });', DATE],
  ])('%s', (_what, text, rule) => {
    expect(rulesOf(text)).toEqual([rule]);
  });
});

describe('what no slow machine changes is let be', () => {
  test.each([
    ['a lower bound', 'const a = Date.now(); expect(Date.now() - a).toBeGreaterThanOrEqual(100);'],
    ['a lower bound that is turned round', 'const a = Date.now(); expect(Date.now() - a).not.toBeLessThan(100);'],
    [
      'an order of moments',
      'const a = Date.now(); const at = await make(); const b = Date.now(); expect(at).toBeGreaterThanOrEqual(a); expect(at).toBeLessThanOrEqual(b);',
    ],
    ['a planted time', 'const at = new Date(Date.now() - DAY_MS); await plant(at); expect(await read()).toEqual(at);'],
    ['a figure that is printed', 'const a = Date.now(); console.log(`${Date.now() - a} ms`);'],
    ['a manual clock', 'const clock = createManualClock(Date.now()); expect(clock.nowMs() - begun).toBeLessThan(9);'],
    [
      'a count beside a figure',
      'const figures = { ms: Date.now() - a, clicks: 3 }; expect(figures.clicks).toBeLessThan(9);',
    ],
    [
      'a helper of other numbers',
      'const top = (values) => Math.max(...values); const ms = top([Date.now() - a]); expect(top([3])).toBeLessThan(9);',
    ],
    ['a shadowed name', 'const took = Date.now() - a; { const took = 3; expect(took).toBeLessThan(9); }'],
    [
      'another month',
      'const now = new Date(); make(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)));',
    ],
    ['a planted row', "query(`insert into jobs (due_at) values (now() - interval '1 hour')`)"],
    ['a time made due', "query(`update jobs set due_at = now() where state = 'retry'`)"],
    ['a name by chance', 'const name = `shop-${randomUUID()}`;'],
  ])('%s', (_what, text) => {
    expect(rulesOf(text)).toEqual([]);
  });
});

describe('chance', () => {
  const UNSEEDED = 'fast-check without a seed: import fc from apps/server/rig/fakes/seeded-properties.ts';
  test.each([
    ['Math.random', 'const one = Math.random();', ['choice by chance: Math.random']],
    ['randomInt as a seed', 'const seed = values.seed ?? randomInt(9);', ['choice by chance: randomInt']],
    ['random bytes as a seed', 'run({ seed: randomBytes(4).readUInt32LE() });', ['choice by chance: random seed']],
    ['properties', "import fc from 'fast-check'; fc.assert(fc.property(fc.string(), check));", [UNSEEDED]],
    ['properties with a seed', "import fc from 'fast-check'; fc.sample(fc.string(), { seed: 1, numRuns: 9 });", []],
    ['seeded properties', "import { fc } from '../rig/fakes/seeded-properties.ts'; fc.assert(property);", []],
  ])('%s', (_what, text, rules) => {
    expect(rulesOf(text)).toEqual(rules);
  });
});

describe('limits', () => {
  const WAIT = ['limit of a wait below 60 s'];
  const TEST = ['limit of a test below 120 s'];
  const SECOND = 'waits for a second at most: use expect.poll';
  test.each([
    ['a poll', 'await expect.poll(read, { timeout: 10_000 }).toBe(1);', WAIT],
    [
      'options of a poll',
      'const SOON = { timeout: 10_000, interval: 20 }; await expect.poll(read, SOON).toBe(1);',
      WAIT,
    ],
    ['a wait', "const SOON = { timeoutMs: 5_000, pollMs: 9 }; await waitUntil(read, { what: 'x', ...SOON });", WAIT],
    ['a limit by its name', 'const SHORT = 5 * 1_000; const W = { timeout: SHORT }; await vi.waitFor(read, W);', WAIT],
    ['vi.waitFor without a limit', 'await vi.waitFor(read);', [`vi.waitFor ${SECOND}`]],
    ['a poll that is long enough', 'await expect.poll(read, { timeout: 60_000, interval: 9 }).toBe(1);', []],
    ['a poll without a limit of its own', 'await expect.poll(read, { interval: 9 }).toBe(1);', []],
    ['a test', "test('x', { timeout: 60_000 }, async () => {});", TEST],
    ['a test with a number', "test.each(rows)('x', async () => {}, 60_000);", TEST],
    ['a hook', 'beforeAll(async () => {}, 60_000);', TEST],
    ['a test that is long enough', "test('x', async () => {}, 180_000);", []],
    [
      'a signal',
      "await once(child, 'exit', { signal: AbortSignal.timeout(14_000) });",
      ['AbortSignal.timeout below 60 s'],
    ],
    ['a race', 'await Promise.race([ended, wait(5_000)]);', ['timer in a race below 60 s']],
    ['a setting of the product', 'const source = open({ timeoutMs: 500 });', []],
  ])('%s', (_what, text, rules) => {
    expect(rulesOf(text)).toEqual(rules);
  });

  test('of a rig that starts a process', () => {
    const path = 'apps/server/rig/processes/sample.ts';
    expect(rulesOf('const START_TIMEOUT_MS = 20_000;', path)).toEqual(['limit of a rig below 120 s']);
    expect(rulesOf('const START_TIMEOUT_MS = 120_000;', path)).toEqual([]);
  });

  test('of every project of a configuration', () => {
    const path = 'apps/server/vitest.config.ts';
    const long = 'const long = { testTimeout: 120_000, hookTimeout: 120_000, expect: { poll: { timeout: 60_000 } } };';
    expect(rulesOf(`${long} export default define({ test: { projects: [{ test: { ...long } }] } });`, path)).toEqual(
      [],
    );
    expect(rulesOf(`${long} export default define({ test: { ...long, testTimeout: 30_000 } });`, path)).toEqual([
      'testTimeout below 120 s',
    ]);
    expect(rulesOf(`${long} export default define({ test: { projects: [{ test: {} }] } });`, path)).toHaveLength(3);
  });
});
