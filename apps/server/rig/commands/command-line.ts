import { operate } from '../../src/operate.ts';
import { roleUrl } from '../database/role-database.ts';
import type { TestDatabase } from '../database/test-database.ts';

/** The operator's command line on a test database, connected as the role `admin`. */
export type CommandLine = {
  /** The answer of a command as JSON; throws what a refused command prints. */
  ask(...words: string[]): Promise<unknown>;
  /** What a command prints for people; throws what a refused command prints. */
  print(...words: string[]): Promise<string>;
  /** What a refused command prints; undefined when it was not refused. */
  refusal(...words: string[]): Promise<string | undefined>;
};

export function openCommandLine(
  { url }: Pick<TestDatabase, 'url'>,
  settings: Record<string, string> = {},
): CommandLine {
  const variables = { COUNTERFOIL_DATABASE_URL: roleUrl(url, 'admin'), ...settings };
  const print = async (...words: string[]) => {
    const { code, out, error } = await operate(words, variables);
    if (code !== 0) throw new Error(error === '' ? out : error);
    return out;
  };
  return {
    print,
    ask: async (...words) => JSON.parse(await print(...words, '--json')) as unknown,
    refusal: async (...words) => {
      const { code, error } = await operate(words, variables);
      return code === 0 ? undefined : error;
    },
  };
}
