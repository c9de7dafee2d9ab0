import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

function type(...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, 'main.ts'), ...words], {
    encoding: 'utf8',
  });
  return { status, out: stdout, error: stderr };
}

test('a list names every drill and what it does', () => {
  const { status, out, error } = type('drill', '--list');
  expect({ status, error }).toEqual({ status: 0, error: '' });
  expect(out).toMatch(/^chain {2,}Payments on nine networks .*\n {2,}\[--quick\] \[--seed N\] \[--part stale/m);
});

test('an unknown name, and none, are refused with the names that there are', () => {
  const { status, out, error } = type('bench', 'lief', '--quick');
  expect({ status, out }).toEqual({ status: 2, out: '' });
  expect(error).toBe(
    'There is no bench "lief". Names: api, checkout, dashboard, exports, growth, life, match, sources, webhooks\n',
  );
  expect(type('drill')).toMatchObject({ status: 2, error: expect.stringContaining('Which drill? Names: alerts, ') });
});

test('a drill gets the options as they were typed, and its exit code is that of the command', () => {
  const { status, error } = type('drill', 'webhooks', '--no such option');
  expect(status).toBe(1);
  expect(error).toContain("'--no such option'");
});
