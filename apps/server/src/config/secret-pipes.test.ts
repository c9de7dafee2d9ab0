import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { faultsOf } from './server-process.ts';

test('a pipe that nobody writes to is refused as the file of a secret, and not waited for', () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-config-'));
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  expect(faultsOf('admin', { COUNTERFOIL_DATABASE_URL_FILE: pipe })).toEqual([
    'COUNTERFOIL_DATABASE_URL_FILE: is not a file',
  ]);
  rmSync(folder, { recursive: true });
});
