import { expect, test } from 'vitest';
import type { FullRecord } from './full-record.ts';
import { addResult, describeRecord, nextRoughMode, ROUGH_MODES, stepsLeft } from './full-record.ts';
import { parseFigures } from './step-result.ts';
import { findStep, FULL, GATE, STEPS } from './step.ts';

const NAMES = ['check', 'attack'];
const FIRST = { commit: 'a'.repeat(40), tree: '1' };
const SECOND = { commit: 'b'.repeat(40), tree: '2' };
const passed = { passed: true, seconds: 3, processorSeconds: 2, figures: { lost: 0 } };
const failed = { ...passed, passed: false };

function record(version: typeof FIRST, ...results: [string, typeof passed][]): FullRecord {
  let all: FullRecord | undefined;
  for (const [name, result] of results) {
    all = addResult(all, { version, names: NAMES, real: false }, { name, ...result });
  }
  if (!all) throw new Error('A record needs a result.');
  return all;
}

test('a full run has passed when every step has passed on its tree', () => {
  expect(record(FIRST, ['check', passed]).result).toBe('incomplete');
  expect(record(FIRST, ['check', passed], ['attack', failed]).result).toBe('failed');
  expect(record(FIRST, ['check', passed], ['attack', passed]).result).toBe('passed');
});

test('a step that passed on another tree does not count for this one', () => {
  const mixed = addResult(
    record(FIRST, ['check', passed]),
    { version: SECOND, names: NAMES, real: false },
    { name: 'attack', ...passed },
  );
  expect(mixed).toMatchObject({ ...SECOND, result: 'incomplete' });
  expect(stepsLeft(mixed, SECOND.tree, NAMES)).toEqual(['check']);
});

test('a full run repeats steps that failed or never ran, and no others', () => {
  expect(stepsLeft(undefined, FIRST.tree, NAMES)).toEqual(NAMES);
  expect(stepsLeft(record(FIRST, ['check', passed], ['attack', failed]), FIRST.tree, NAMES)).toEqual(['attack']);
});

test('a run at real size is recorded beside the steps and does not count as one', () => {
  const real = addResult(undefined, { version: FIRST, names: NAMES, real: true }, { name: 'attack', ...passed });
  expect(real).toMatchObject({ result: 'incomplete', steps: {}, real: { attack: { figures: { lost: 0 } } } });
});

test('a record drops steps that no longer exist', () => {
  const old = record(FIRST, ['check', passed]);
  old.steps['gone'] = { ...FIRST, ...passed };
  const next = addResult(old, { version: FIRST, names: NAMES, real: false }, { name: 'attack', ...passed });
  expect(Object.keys(next.steps)).toEqual(['check', 'attack']);
});

test.each([
  ['no record', undefined, 0, true, 'no record'],
  ['a commit that is no ancestor', record(FIRST, ['check', passed]), undefined, true, 'not an ancestor'],
  ['a missing step', record(FIRST, ['check', passed]), 4, true, '4 commits ago; never ran: attack'],
  ['a failed step', record(FIRST, ['check', passed], ['attack', failed]), 4, true, 'failed: attack'],
  [
    'a complete run',
    record(FIRST, ['check', passed], ['attack', passed]),
    4,
    false,
    '4 commits ago; every step passed',
  ],
] as const)('the gate reports %s of the full run', (_, full, commitsSince, warning, text) => {
  const described = describeRecord(full, { commitsSince, names: NAMES });
  expect(described.warning).toBe(warning);
  expect(described.text).toContain(text);
});

test('each full run takes the next rough mode', () => {
  const modes = [nextRoughMode('')];
  while (modes.length < ROUGH_MODES.length) modes.push(nextRoughMode(modes.at(-1)));
  expect(modes).toEqual(ROUGH_MODES);
  expect(nextRoughMode(modes.at(-1))).toBe(ROUGH_MODES[0]);
});

test('figures are JSON objects of the output, and log lines are not', () => {
  expect(parseFigures('{"lost":0}')).toEqual({ lost: 0 });
  for (const line of ['{"level":30,"msg":"x"}', '{"cut', 'lost 0', '[1]']) expect(parseFigures(line)).toEqual({});
});

test('every step of the gate and of the full run exists, and every step runs in one of them', () => {
  const used = [...GATE, ...FULL].flat(2);
  for (const name of used) expect(findStep(name).name).toBe(name);
  expect(STEPS.filter(({ name }) => !used.includes(name))).toEqual([]);
});
