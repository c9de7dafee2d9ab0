import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findImages, parseReference, pinImages } from './image-reference.ts';
import { resolveDigest } from './resolve-digest.ts';

/**
 * Base images and their digests.
 *   node apps/server/tools/images/main.ts pin       asks registries, and writes digests to Dockerfile and compose.yaml
 *   node apps/server/tools/images/main.ts require   fails unless every image has a digest
 */

const ROOT = join(import.meta.dirname, '../../../..');
const FILES = ['Dockerfile', 'compose.yaml'].map((name) => join(ROOT, name));

async function pin(): Promise<void> {
  const images = [...new Set(FILES.flatMap((file) => findImages(readFileSync(file, 'utf8'))))];
  const digests = new Map(
    await Promise.all(images.map(async (image) => [image, await resolveDigest(image, fetch)] as const)),
  );
  for (const file of FILES) writeFileSync(file, pinImages(readFileSync(file, 'utf8'), digests));
  for (const [image, digest] of digests) console.log(`${image.replace(/@.*$/, '')} ${digest}`);
}

function requireDigests(): void {
  const loose = FILES.flatMap((file) => findImages(readFileSync(file, 'utf8'))).filter(
    (image) => parseReference(image).digest === undefined,
  );
  if (loose.length === 0) return;
  console.error(
    `Without a digest: ${loose.join(', ')}. A release names its base images by digest: run bin/pin-images.`,
  );
  process.exitCode = 1;
}

const [command] = process.argv.slice(2);
if (command === 'pin')
  await pin().catch((cause: unknown) => {
    console.error(`Nothing was written: ${cause instanceof Error ? cause.message : String(cause)}`);
    process.exitCode = 1;
  });
else if (command === 'require') requireDigests();
else throw new Error('Name a command: pin or require.');
