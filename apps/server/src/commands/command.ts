import { parseArgs } from 'node:util';
import { CommandError } from './command-error.ts';
import { inOperatorWords } from './refusal-words.ts';
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

function printable(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/** Formats an answer as aligned lines for people; a list is one block per item. */
export function formatAnswer(answer: Answer): string {
  const blocks = (Array.isArray(answer) ? answer : [answer]).map((block) => {
    const width = Math.max(0, ...Object.keys(block).map((key) => key.length));
    return Object.entries(block)
      .map(([key, value]) => `${key.padEnd(width)}  ${printable(value)}`)
      .join('\n');
  });
  return blocks.length === 0 ? '(none)' : blocks.join('\n\n');
}

export function jsonAnswer(answer: Answer): string {
  return JSON.stringify(answer, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
}
