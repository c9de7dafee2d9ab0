import type { Answer, Command } from './commands/command.ts';
import { formatAnswer, jsonAnswer, parseOptions } from './commands/command.ts';
import { CommandError } from './commands/command-error.ts';
import { configCommands } from './commands/config-commands.ts';
import { doctorCommand } from './commands/doctor-command.ts';
import { helpOf, OPERATOR_COMMANDS, overview } from './commands/operator-commands.ts';
import { wordRefusal } from './commands/refusal-words.ts';
import { rateCheckCommand } from './commands/rate-check-command.ts';
import { supportCommand } from './commands/support-command.ts';
import { ConfigError } from './config/config-error.ts';
import type { Variables } from './config/setting.ts';
import { formatVersion } from './db/compatibility.ts';
import { readMigrations } from './db/migrate.ts';
import { JOB_SCHEMA_VERSION } from './jobs/job.ts';
import { Refusal } from './lib/refusal.ts';
import { VERSION } from './lib/version.ts';
import { visibleLines } from './lib/visible-text.ts';
import { withDoctor } from './with-doctor.ts';
import { withOperator } from './with-operator.ts';

/** What a command leaves: the lines for standard output or standard error, and the exit code. */
export type Outcome = { code: number; out: string; error: string };
type Answered = { code: number; out: string; given?: Answer };

/** Exit code for words that are no command. */
const NO_COMMAND = 2;

async function answer(
  one: Command<never>,
  words: readonly string[],
  ask: (values: Record<string, string>) => Promise<Answer>,
): Promise<Answered> {
  if (words.includes('--help')) return { code: 0, out: helpOf(one) };
  const given = await ask(parseOptions(one.options, words));
  return { code: 0, out: words.includes('--json') ? jsonAnswer(given) : formatAnswer(given), given };
}

/** Runs the doctor, which also speaks where a process could not start. Its exit code says whether anything is wrong. */
async function examine(words: readonly string[], variables: Variables): Promise<Answered> {
  const { out, given } = await answer(doctorCommand, words, (values) =>
    withDoctor(variables, (context) => doctorCommand.run(context, values)),
  );
  const wrong = Array.isArray(given) && given.some(({ state }) => state === 'wrong');
  return { code: wrong ? 1 : 0, out };
}

/** Which version this is; `rollback check` of a later version takes the number of the schema. */
async function describeVersion(): Promise<string> {
  const schema = formatVersion((await readMigrations()).length);
  return `counterfoil ${VERSION.version} (commit ${VERSION.commit}, schema ${schema}, jobs ${JOB_SCHEMA_VERSION})`;
}

async function run(words: readonly string[], variables: Variables): Promise<Answered> {
  if (words[0] === '--version') return { code: 0, out: await describeVersion() };
  const name = words.slice(0, 2).join(' ');
  const rest = words.slice(2);
  const found = OPERATOR_COMMANDS.find((one) => one.name === name);
  if (found) return answer(found, rest, (values) => withOperator(variables, (context) => found.run(context, values)));
  if (words[0] === doctorCommand.name) return examine(words.slice(1), variables);
  if (name === supportCommand.name)
    return answer(supportCommand, rest, (values) =>
      withDoctor(variables, (context) => supportCommand.run(context, values)),
    );
  if (name === rateCheckCommand.name)
    return answer(rateCheckCommand, rest, (values) =>
      withDoctor(variables, (context) => rateCheckCommand.run(context, values)),
    );
  const plain = configCommands.find((one) => one.name === name);
  if (plain) return answer(plain, rest, (values) => plain.run({ variables }, values));
  return { code: words.length === 0 || words.includes('--help') ? 0 : NO_COMMAND, out: overview() };
}

/** Runs one line of the operator's command line; what is refused is refused in words. */
export async function operate(words: readonly string[], variables: Variables): Promise<Outcome> {
  try {
    const { code, out } = await run(words, variables);
    return { code, out, error: '' };
  } catch (cause) {
    if (!(cause instanceof Refusal || cause instanceof CommandError || cause instanceof ConfigError)) throw cause;
    const said = cause instanceof Refusal ? wordRefusal(cause) : cause.message;
    return { code: 1, out: '', error: visibleLines(said) };
  }
}
