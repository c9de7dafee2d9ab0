import { open, writeFile } from 'node:fs/promises';
import { constants } from 'node:fs';
import { z } from 'zod';
import type { DoctorContext } from '../doctor/run-doctor.ts';
import { reasonOf } from '../doctor/finding.ts';
import { visibleLines } from '../lib/visible-text.ts';
import { createBundle } from '../support/create-bundle.ts';
import { command, jsonAnswer } from './command.ts';
import { CommandError } from './command-error.ts';

/** Bytes at the end of a log that are read. */
const LOG_BYTES = 2_000_000;
const OWNER_ONLY = 0o600;

/** The end of a file, without the line that it cuts. A pipe is refused, because it may never end. */
async function readEnd(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new CommandError('--log: is not a file');
    const start = Math.max(0, stat.size - LOG_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LOG_BYTES), 0, LOG_BYTES, start);
    const text = buffer.toString('utf8', 0, bytesRead);
    return start === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } finally {
    await file.close();
  }
}

const input = z.object({ out: z.string().min(1), log: z.string().optional() });

export const supportCommand = command<DoctorContext, typeof input>('support bundle', {
  summary:
    'Write what support needs to a JSON file: version, settings without secrets, doctor, counts, alarms, log lines.',
  options: {
    out: 'FILE           a new file; - prints it instead',
    log: 'FILE           log of a process, of which the end is included',
  },
  input,
  run: async (context, { out, log: path }) => {
    const log =
      path === undefined
        ? undefined
        : await readEnd(path).catch((cause: unknown) => {
            throw cause instanceof CommandError ? cause : new CommandError(`--log: ${reasonOf(cause)}`);
          });
    const bundle = await createBundle(context, log);
    if (out === '-') return bundle;
    const text = `${visibleLines(JSON.stringify(JSON.parse(jsonAnswer(bundle)), null, 2))}\n`;
    await writeFile(out, text, { flag: 'wx', mode: OWNER_ONLY }).catch((cause: unknown) => {
      throw new CommandError(`--out: ${reasonOf(cause)}`);
    });
    return { file: out, bytes: Buffer.byteLength(text), sections: Object.keys(bundle).join(', ') };
  },
});
