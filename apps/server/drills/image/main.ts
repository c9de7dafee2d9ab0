import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withTemporaryDatabase } from '../../rig/database/temporary-database.ts';
import { closeServer } from '../../rig/fakes/listen.ts';
import { describeFaults, gatherFaults } from '../../rig/report/faults.ts';
import { VERSION } from '../../src/lib/version.ts';
import type { BuiltImage } from './build-image.ts';
import { withBuiltImage } from './build-image.ts';
import type { InsideFigures, InsideInput } from './inside.ts';
import { runInOwnNetwork, startWayOut } from './own-network.ts';

/**
 * Drills the image: builds it, and runs an installation for production from nothing but the image, behind Caddy, until
 * an invoice is paid on a real node and its webhook has arrived.
 */

const MEGABYTE = 1_000_000;
const MOST_MEGABYTES = 300;
const INSIDE = join(import.meta.dirname, 'inside.ts');

async function drillImage(adminUrl: string, image: BuiltImage): Promise<InsideFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-image-'));
  try {
    return await withTemporaryDatabase(adminUrl, async (databaseUrl) => {
      const socketFile = join(folder, 'database.sock');
      const way = await startWayOut(socketFile, databaseUrl);
      try {
        const input: InsideInput = { image, databaseUrl, socketFile, folder };
        return JSON.parse(await runInOwnNetwork([process.execPath, INSIDE], input)) as InsideFigures;
      } finally {
        await closeServer(way);
      }
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

const adminUrl = process.env['COUNTERFOIL_DATABASE_URL'];
if (!adminUrl) throw new Error('COUNTERFOIL_DATABASE_URL is not set; run the drill with pnpm.');
const faults = gatherFaults();
const figures = await withBuiltImage(async (image) => {
  const megabytes = image.bytes / MEGABYTE;
  if (megabytes >= MOST_MEGABYTES) faults.add(`the image has ${megabytes.toFixed(0)} MB`);
  for (const [label, wanted] of Object.entries({ version: VERSION.version, revision: VERSION.commit })) {
    const found = image.config.Labels[`org.opencontainers.image.${label}`];
    if (found !== wanted) faults.add(`the image's label ${label} is ${found ?? 'missing'} instead of ${wanted}`);
  }
  const inside = await drillImage(adminUrl, image);
  for (const fault of inside.faults) faults.add(fault);
  const { faults: _told, ...seen } = inside;
  return { image_mb: Number(megabytes.toFixed(1)), build_seconds: Number(image.seconds.toFixed(1)), ...seen };
});
for (const line of describeFaults(faults)) console.log(line);
if (faults.all().length > 0) process.exitCode = 1;
console.log(JSON.stringify(figures));
