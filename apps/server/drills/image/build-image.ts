import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { steadyClock } from '../../src/lib/clock.ts';

/** Builds the image with `bin/build-image`, and unpacks it where containers can be run from it. */

export type BuiltImage = {
  id: string;
  /** The image's own settings for containers: user, entry point, environment and the signal that stops them. */
  config: z.output<typeof configSchema>;
  /** Folder with all files of the image. */
  rootFolder: string;
  bytes: number;
  seconds: number;
};

const configSchema = z.object({
  User: z.string(),
  Env: z.array(z.string()),
  Entrypoint: z.array(z.string()),
  WorkingDir: z.string(),
  StopSignal: z.string(),
  Labels: z.record(z.string(), z.string()),
});
const inspected = z.object({ FromImageID: z.string(), OCIv1: z.object({ config: configSchema }) });

const COMMAND = join(import.meta.dirname, '../../../../bin/build-image');
const NAME = 'counterfoil:drill';
const run = promisify(execFile);

async function buildah(...words: string[]): Promise<string> {
  const { stdout } = await run(COMMAND, ['--buildah', ...words]);
  return stdout.trim();
}

/** Sum of the sizes of all files, in bytes; a file with several names counts once. */
async function measure(folder: string): Promise<number> {
  const { stdout } = await run('du', ['--summarize', '--bytes', '--one-file-system', folder]);
  return Number.parseInt(stdout, 10);
}

/** Builds the image and gives it to `use`; the unpacked files are removed afterwards, and the image stays. */
export async function withBuiltImage<T>(use: (image: BuiltImage) => Promise<T>): Promise<T> {
  const startedMs = steadyClock.nowMs();
  const { stdout } = await run(COMMAND, [NAME]);
  const seconds = (steadyClock.nowMs() - startedMs) / 1000;
  console.log(`Built ${stdout.trim()}`);
  const container = await buildah('from', '--pull-never', `localhost/${NAME}`);
  try {
    const image = inspected.parse(JSON.parse(await buildah('inspect', container)));
    const rootFolder = await buildah('mount', container);
    const bytes = await measure(rootFolder);
    return await use({ id: image.FromImageID, config: image.OCIv1.config, rootFolder, bytes, seconds });
  } finally {
    await buildah('rm', container);
  }
}
