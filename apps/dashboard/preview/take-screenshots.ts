import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../../checkout/preview/browser.ts';
import { createTemplate, dropTemplate } from '../../server/rig/database/template-database.ts';
import { openAppSite } from '../../server/rig/people/app-site.ts';
import { IN_DOCUMENTS } from './document-pictures.ts';
import { homeShots } from './home-shots.ts';
import { invoiceShots } from './invoice-shots.ts';
import { moneyShots } from './money-shots.ts';
import type { Shot } from './shot.ts';
import { stateShots } from './state-shots.ts';
import { takePictures } from './take-picture.ts';
import { undoShots } from './undo-shots.ts';
import { webhookShots } from './webhooks-shots.ts';
import type { World } from './world.ts';
import { prepareWorld } from './world.ts';

/**
 * Takes pictures of every page in every state it has, by the table in `page-states.ts`, and of every dialog:
 * `pnpm build && pnpm screenshots:dashboard [FOLDER] [NAME]`, where only pictures whose names begin so are taken.
 */

const FOLDER = process.argv[2] ?? join(import.meta.dirname, '../../../.local/screenshots');
const DOCUMENTS = join(import.meta.dirname, '../../../docs/images');
const ONLY = process.argv[3] ?? '';
/** How many pages are open at a time. */
const PAGES = 3;
const MAX_BYTES = 15_000_000;

type Taken = { names: string[]; bytes: number; faults: string[] };

/** Takes all pictures; failures are reported at the end, so that one run finds all. */
async function takeAll(browser: Browser, world: World, shots: readonly Shot[], all: Taken): Promise<void> {
  const waiting = shots.filter(({ name }) => name.startsWith(ONLY));
  const take = async () => {
    for (let shot = waiting.shift(); shot; shot = waiting.shift()) {
      const { name } = shot;
      const { names, bytes, faults } = await takePictures(browser, world, shot, FOLDER).catch((cause: unknown) => ({
        names: [],
        bytes: 0,
        faults: [`${name}: ${cause instanceof Error ? cause.message.slice(0, 300) : String(cause)}`],
      }));
      all.names.push(...names);
      all.bytes += bytes;
      all.faults.push(...faults);
    }
  };
  await Promise.all(Array.from({ length: PAGES }, take));
}

/** A page that shows all of them, to look through. */
function writeIndex(names: readonly string[]): void {
  const figures = names
    .toSorted()
    .map((name) => `<figure><a href="${name}"><img loading="lazy" src="${name}" alt=""></a>${name}</figure>`);
  const style = 'body{font:13px system-ui}figure{display:inline-block;margin:8px;width:380px}img{width:100%}';
  writeFileSync(join(FOLDER, 'index.html'), `<!doctype html><style>${style}</style>${figures.join('\n')}`);
}

/** Removes the pictures of an earlier run, and nothing else that may be in the folder. */
function removeOld(): void {
  for (const name of readdirSync(FOLDER)) if (name.endsWith('.webp')) rmSync(join(FOLDER, name));
}

async function main(adminUrl: string): Promise<Taken> {
  const all: Taken = { names: [], bytes: 0, faults: [] };
  const template = await createTemplate(adminUrl);
  const site = await openAppSite(template);
  const browser = await launchBrowser();
  try {
    const world = await prepareWorld(site);
    const { open, locked } = stateShots(world);
    const dialogs = [homeShots, invoiceShots, moneyShots, undoShots, webhookShots].flatMap((shots) => shots(world));
    await takeAll(browser, world, [...open, ...dialogs], all);
    await site.owner.browser.send('POST', `/accounts/${site.account}/lock`, {});
    await takeAll(browser, world, locked, all);
    writeIndex(all.names);
    for (const name of all.names) {
      if (IN_DOCUMENTS.has(name)) copyFileSync(join(FOLDER, name), join(DOCUMENTS, `dashboard-${name}`));
    }
  } finally {
    await browser.close();
    await site.close();
    await dropTemplate(template);
  }
  return all;
}

const adminUrl = process.env['COUNTERFOIL_DATABASE_URL'];
if (!adminUrl) throw new Error('COUNTERFOIL_DATABASE_URL is not set; use pnpm screenshots:dashboard.');
const beganMs = performance.now();
mkdirSync(FOLDER, { recursive: true });
if (ONLY === '') removeOld();
const { names, bytes, faults } = await main(adminUrl);
if (bytes > MAX_BYTES) faults.push(`${bytes} bytes are more than ${MAX_BYTES}`);
for (const fault of faults) console.log(fault);
const seconds = Math.round((performance.now() - beganMs) / 1_000);
console.log(JSON.stringify({ folder: FOLDER, pictures: names.length, bytes, seconds, faults: faults.length }));
process.exitCode = faults.length === 0 ? 0 : 1;
