import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { JOB_SCHEMA_VERSION } from './job.ts';
import { JOB_HISTORY, jobVersionOf } from './job-history.ts';

const rises = (numbers: number[]) => numbers.every((one, index) => index === 0 || one > (numbers[index - 1] ?? 0));

test('the installed pg-boss supports the version of the job tables that is named last', () => {
  const file = new URL('../../node_modules/pg-boss/package.json', import.meta.url);
  const { pgboss } = JSON.parse(readFileSync(file, 'utf8')) as { pgboss: { schema: number } };
  expect([JOB_SCHEMA_VERSION, JOB_HISTORY.at(-1)?.jobs]).toEqual([pgboss.schema, pgboss.schema]);
});

test('versions of the job tables rise with existing versions of the schema', () => {
  const newest = readdirSync(new URL('../db/migrations/', import.meta.url)).length;
  expect(rises(JOB_HISTORY.map(({ since }) => since))).toBe(true);
  expect(rises(JOB_HISTORY.map(({ jobs }) => jobs))).toBe(true);
  expect(JOB_HISTORY.at(-1)?.since).toBeLessThanOrEqual(newest);
});

test.each([
  [32, undefined],
  [33, 43],
  [60, 43],
])('version %s supports version %s of the job tables', (version, jobs) => {
  expect(jobVersionOf(version)).toBe(jobs);
});
