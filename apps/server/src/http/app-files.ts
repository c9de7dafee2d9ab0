import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { EncodedDocument } from '../lib/content-encoding.ts';
import { SERVER_FOLDER } from '../lib/server-folder.ts';

/** The built dashboard app, kept in memory. The content of a file name never changes. */

export type AppFiles = {
  document: EncodedDocument | undefined;
  assets: ReadonlyMap<string, EncodedDocument>;
};

const DIST_FOLDER = join(SERVER_FOLDER, '../dashboard/dist');
const MAX_FILES = 300;
const MAX_BYTES = 16 * 1024 * 1024;
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const readIfThere = (path: string) => (existsSync(path) ? readFileSync(path) : undefined);

function readFile(path: string): EncodedDocument | undefined {
  const type = TYPES[extname(path)];
  if (type === undefined) return undefined;
  return { type, plain: readFileSync(path), br: readIfThere(`${path}.br`), gzip: readIfThere(`${path}.gz`) };
}

export function readAppFiles(dist = DIST_FOLDER): AppFiles {
  const page = join(dist, 'index.html');
  if (!existsSync(page)) return { document: undefined, assets: new Map() };
  const assets = new Map<string, EncodedDocument>();
  let bytes = 0;
  for (const name of readdirSync(join(dist, 'assets'))) {
    const file = readFile(join(dist, 'assets', name));
    if (!file) continue;
    assets.set(name, file);
    bytes += file.plain.length + (file.br?.length ?? 0) + (file.gzip?.length ?? 0);
    if (assets.size > MAX_FILES || bytes > MAX_BYTES) throw new Error(`${dist} holds more than an app.`);
  }
  return { document: readFile(page), assets };
}
