import { resolve } from 'node:path';
import { bundleServer } from './bundle-server.ts';

// node packages/bundler/src/main.ts FOLDER

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Name the folder for the bundle.');
await bundleServer(resolve(folder));
