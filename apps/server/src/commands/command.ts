import { parseArgs } from 'node:util';
import { CommandError } from './command-error.ts';
import { inOperatorWords } from './refusal-words.ts';
import { visibleText } from '../lib/visible-text.ts';
import type { z } from 'zod';

/** A command of the operator's command line: two words, options checked by one schema, an answer to print. */
export type Command<Context> = {
  name: string;
  summary: string;
  /** Option names as typed, with their placeholder and meaning. */
  options: Record<string, string>;
  run(context: Context, values: Record<string, string>): Promise<Answer>;
};

export type Answer = Record<string, unknown> | Record<string, unknown>[];

type CommandParts<Context, Schema extends z.ZodObject> = {
  summary: string;
  options: { [Name in keyof z.input<Schema>]-?: string };
  input: Schema;
  run(context: Context, input: z.output<Schema>): Promise<Answer>;
};

export function command<Context, Schema extends z.ZodObject>(
  name: string,
  parts: CommandParts<Context, Schema>,
): Command<Context> {
  return {
    name,
    summary: parts.summary,
    options: parts.options,
    run: async (context, values) => {
      const parsed = parts.input.safeParse(values);
      if (!parsed.success) {
        throw new CommandError(
          parsed.error.issues.map((issue) => `--${issue.path.join('.')}: ${issue.message}`).join('\n'),
        );
      }
      return inOperatorWords(() => parts.run(context, parsed.data));
    },
  };
}

/** Reads options. All options but --json take a value, even yes-or-no options, so that all have one form. */
export function parseOptions(known: Record<string, string>, words: readonly string[]): Record<string, string> {
  const options = Object.fromEntries(
    [...Object.keys(known), 'json'].map((name) => [name, { type: name === 'json' ? 'boolean' : 'string' } as const]),
  );
  try {
    const { values } = parseArgs({ args: [...words], options, allowPositionals: false, strict: true });
    return Object.fromEntries(
      Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  } catch (cause) {
    throw new CommandError(cause instanceof Error ? cause.message : 'The options could not be read.');
  }
}

type Block = Record<string, unknown>;

const isBlock = (value: unknown): value is Block =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

const inJson = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'bigint' ? inner.toString() : inner));

/** A value on one line: merchants and strangers choose many of the texts. */
function printable(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return visibleText(typeof value === 'object' && value !== null ? inJson(value) : String(value));
}

/** Formats a block, with the blocks that it contains indented below their name. */
function linesOf(block: Block): string[] {
  const entries = Object.entries(block).map(([key, value]) => [visibleText(key), value] as const);
  const width = Math.max(0, ...entries.map(([key]) => key.length));
  return entries.flatMap(([key, value]) => {
    if (!Array.isArray(value) || value.length === 0 || !value.every(isBlock))
      return [`${key.padEnd(width)}  ${printable(value)}`];
    const inner = value.flatMap((one) => linesOf(one).map((line, place) => `${place === 0 ? '  - ' : '    '}${line}`));
    return [key].concat(inner);
  });
}

/** Formats an answer as aligned lines for people; a list is one block per item. */
export function formatAnswer(answer: Answer): string {
  const blocks = (Array.isArray(answer) ? answer : [answer]).map((block) => linesOf(block).join('\n'));
  return blocks.length === 0 ? '(none)' : blocks.join('\n\n');
}

export function jsonAnswer(answer: Answer): string {
  return visibleText(inJson(answer));
}
