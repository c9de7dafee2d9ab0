import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findPureTests } from './find-pure-tests.ts';

const server = mkdtempSync(join(tmpdir(), 'counterfoil-pure-'));
afterAll(() => rmSync(server, { recursive: true }));

function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(server, dirname(path)), { recursive: true });
    writeFileSync(join(server, path), text);
  }
}

write({
  'src/lib/amount.test.ts': `import { test } from 'vitest';\nimport { parse } from './amount.ts';\n`,
  'src/lib/amount.ts': `import pg from 'pg';\n`,
  'src/lib/types.test.ts': `import type { Server } from 'node:http';\nimport type { Rig } from '../../test/rig.ts';\n`,
  'src/lib/asks.test.ts': `import { beforeAll, inject, test } from 'vitest';\n`,
  'src/lib/listens.test.ts': `import { createServer } from 'node:http';\n`,
  'test/by-rig.test.ts': `import {\n  startNode,\n} from './node.ts';\n`,
  'test/node.ts': `import { spawnNode } from './spawn.ts';\nimport { again } from './node.ts';\n`,
  'test/spawn.ts': `import type { ChildProcess } from 'node:child_process';\nimport { spawn } from 'node:child_process';\n`,
  'test/rig.ts': `import { createServer } from 'node:net';\n`,
  'test/contract/rule.test.ts': `import { test } from 'vitest';\n`,
});

test('a test is pure when neither it nor its rig asks for the database or imports what opens a port or a process', () => {
  expect(findPureTests(server)).toEqual(['src/lib/amount.test.ts', 'src/lib/types.test.ts']);
});
