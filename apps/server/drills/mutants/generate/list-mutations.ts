import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mutateCode } from '../../../rig/mutants/mutate-code.ts';
import type { Mutation } from '../../../rig/mutants/mutation.ts';

/** Folders of the code that decides about money. */
const MONEY = ['accounts', 'chains', 'invoices', 'ledger', 'platforms', 'quotes', 'transfers', 'webhooks'];

export function listMutations(server: string): Mutation[] {
  const files = MONEY.flatMap((folder) => globSync(`src/${folder}/**/*.ts`, { cwd: server }))
    .filter((file) => !file.endsWith('.test.ts'))
    .toSorted();
  return files.flatMap((file) => mutateCode(file, readFileSync(join(server, file), 'utf8')));
}
