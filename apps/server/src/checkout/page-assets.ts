import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { z } from 'zod';
import type { EncodedDocument } from '../lib/content-encoding.ts';
import { SERVER_FOLDER } from '../lib/server-folder.ts';

/** Script and style of the build, kept in memory. The content of a file name never changes. */

export type PageAssets = {
  scriptName: string | null;
  /** Null when not built. */
  panelName: string | null;
  style: string | null;
  files: ReadonlyMap<string, EncodedDocument>;
};

const ENTRY = 'src/hydrate-page.ts';
const PANEL_ENTRY = 'src/sandbox-panel.ts';
const MAX_FILES = 100;
const MAX_BYTES = 4 * 1024 * 1024;
const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

const manifestSchema = z.record(z.string(), z.object({ file: z.string(), css: z.array(z.string()).default([]) }));

const DIST_FOLDER = join(SERVER_FOLDER, '../checkout/dist');

function readIfThere(path: string): Buffer | undefined {
  return existsSync(path) ? readFileSync(path) : undefined;
}

function readFiles(folder: string): Map<string, EncodedDocument> {
  const files = new Map<string, EncodedDocument>();
  let bytes = 0;
  for (const name of readdirSync(folder)) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const path = join(folder, name);
    const asset = { type, plain: readFileSync(path), br: readIfThere(`${path}.br`), gzip: readIfThere(`${path}.gz`) };
    bytes += asset.plain.length + (asset.br?.length ?? 0) + (asset.gzip?.length ?? 0);
    files.set(name, asset);
    if (files.size > MAX_FILES || bytes > MAX_BYTES) throw new Error(`${folder} holds more than a page.`);
  }
  return files;
}

const nameOf = (file: string) => file.replace(/^assets\//, '');

export function readPageAssets(dist = DIST_FOLDER): PageAssets {
  const manifestPath = join(dist, '.vite/manifest.json');
  if (!existsSync(manifestPath)) return { scriptName: null, panelName: null, style: null, files: new Map() };
  const manifest = manifestSchema.parse(JSON.parse(readFileSync(manifestPath, 'utf8')));
  const entry = manifest[ENTRY];
  if (!entry) throw new Error(`The page's build has no ${ENTRY}.`);
  const panel = manifest[PANEL_ENTRY];
  const style = entry.css.map((path) => readFileSync(join(dist, path), 'utf8')).join('');
  return {
    scriptName: nameOf(entry.file),
    panelName: panel ? nameOf(panel.file) : null,
    style: style === '' ? null : style,
    files: readFiles(join(dist, 'assets')),
  };
}

/** The source of an inline style in a content security policy. */
export function styleSource(style: string): string {
  return `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
}
