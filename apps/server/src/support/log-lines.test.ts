import { expect, test } from 'vitest';
import { pickLogLines } from './log-lines.ts';
import { createScrub } from './scrub-text.ts';

const SECRET = 'hunter2-hunter2';
const scrub = createScrub([SECRET]);
const pick = (...lines: unknown[]) => pickLogLines(lines.map((line) => JSON.stringify(line)).join('\n'), scrub);

test('of a line the named texts, numbers and the error are picked, and nothing else', () => {
  const line = { level: 50, msg: 'failed', network: 'BSC', isOld: true, url: 'x', to: ['x'], merchant: { name: 'x' } };
  expect(pick(line)).toEqual({ lines: [{ level: 50, msg: 'failed', network: 'BSC', isOld: true }], left_out: 0 });
});

test('a secret is removed from the message, the error and its stack', () => {
  const stack = `Error: ${SECRET}\n    at run (file.ts?${SECRET}:1:1)\n    at ${SECRET} (file.ts:2:1)`;
  const err = {
    type: SECRET,
    code: SECRET,
    message: `was ${SECRET}`,
    stack,
    detail: SECRET,
    cause: { message: SECRET },
  };
  const { lines } = pick({ msg: `a ${SECRET}`, err });
  expect(JSON.stringify(lines)).not.toContain(SECRET);
  expect(lines).toEqual([
    {
      msg: 'a [removed]',
      err: {
        type: '[removed]',
        code: '[removed]',
        message: 'was [removed]',
        stack: ['at run (file.ts?[removed]:1:1)', 'at [removed] (file.ts:2:1)'],
      },
    },
  ]);
});

test('a stack has eight frames at most, and none of its other lines', () => {
  const frames = Array.from({ length: 20 }, (_, place) => `    at frame${place} (file.ts:1:1)`);
  const { lines } = pick({ msg: 'failed', err: { stack: ['Error: x', 'key = plain', ...frames].join('\n') } });
  expect(lines).toEqual([{ msg: 'failed', err: { stack: frames.slice(0, 8).map((frame) => frame.trim()) } }]);
});

test('what a supervisor writes before a line is left out, and lines that are not ours are counted', () => {
  const text = `Nov 19 worker[1]: ${JSON.stringify({ msg: 'started' })}\n\npanic: password ${SECRET}\n{"level":30}\n[1]\n`;
  expect(pickLogLines(text, scrub)).toEqual({ lines: [{ msg: 'started' }], left_out: 3 });
});

test('of many lines the newest thousand are picked', () => {
  const { lines, left_out: leftOut } = pick(...Array.from({ length: 1_500 }, (_, line) => ({ msg: 'x', line })));
  expect([lines.length, lines[0], leftOut]).toEqual([1_000, { msg: 'x', line: 500 }, 500]);
});
