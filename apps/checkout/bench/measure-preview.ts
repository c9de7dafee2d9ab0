import { servePreview } from '../preview/serve-preview.ts';
import { measurePage } from './measure-page.ts';

/** The page alone, from fixtures: `node bench/measure-preview.ts [state] [--quick]`. */
const { origin, server } = await servePreview(0);
const state = process.argv.slice(2).find((word) => !word.startsWith('--')) ?? 'pay';
console.log(
  JSON.stringify(await measurePage(`${origin}/bill/${state}?lang=en`, { quick: process.argv.includes('--quick') })),
);
server.closeAllConnections();
server.close();
