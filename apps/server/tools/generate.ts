import { readFile, writeFile } from 'node:fs/promises';
import pg from 'pg';
import { describeDashboard } from '../src/dashboard/describe-dashboard.ts';
import { DASHBOARD_ROUTES } from '../src/dashboard/routes.ts';
import { migrate } from '../src/db/migrate.ts';
import { generateConfiguration } from './generate-configuration.ts';
import { generateOperations } from './generate-dashboard-app.ts';
import { generateManifests } from './generate-manifests.ts';
import { buildOpenApi } from './generate-openapi.ts';
import type { ScaleFigures } from './generate-scale.ts';
import { generateScale } from './generate-scale.ts';
import { generateSchema } from './generate-schema.ts';
import { generateTables } from './generate-tables.ts';
import type { ApiDocument } from './render-reference.ts';
import { renderReference } from './render-reference.ts';
import { withTemporaryDatabase } from '../rig/database/temporary-database.ts';

/**
 * Writes derived files: row types, the readable schema, the API description and its reference page, the page of
 * settings, the tables about scale, the Kubernetes manifests, and the types of the dashboard's API. With
 * `--check` it writes nothing and fails when one is stale.
 */
const adminUrl = process.env['COUNTERFOIL_DATABASE_URL'];
if (!adminUrl) throw new Error('COUNTERFOIL_DATABASE_URL is not set; use bin/with-postgres.');
const checkOnly = process.argv.includes('--check');
const stale: string[] = [];

async function place(path: string, content: string): Promise<void> {
  const file = new URL(`../${path}`, import.meta.url);
  const present = await readFile(file, 'utf8').catch(() => '');
  if (present === content) return;
  if (checkOnly) stale.push(path);
  else {
    await writeFile(file, content);
    console.log(`wrote apps/server/${path}`);
  }
}

await withTemporaryDatabase(adminUrl, async (url) => {
  await migrate(url, () => {});
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await place('src/db/tables.ts', await generateTables(client));
    await place('src/db/schema.sql', await generateSchema(client));
  } finally {
    await client.end();
  }
});
const { contract, sandbox } = await buildOpenApi();
await place('openapi.json', contract);
await place('openapi-sandbox.json', sandbox);
const dashboard = describeDashboard(DASHBOARD_ROUTES);
await place('openapi-dashboard.json', `${JSON.stringify(dashboard, null, 2)}\n`);
await place('../dashboard/src/generated/operations.ts', generateOperations(dashboard));
await place('../../docs/configuration.md', generateConfiguration());
const { version } = JSON.parse(await readFile(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
for (const [name, text] of Object.entries(generateManifests(version)))
  await place(`../../deploy/kubernetes/${name}`, text);
const [scale, scaleFigures] = await Promise.all(
  ['scale.md', 'scale-figures.json'].map((name) => readFile(new URL(`../../../docs/${name}`, import.meta.url), 'utf8')),
);
await place('../../docs/scale.md', generateScale(scale ?? '', JSON.parse(scaleFigures ?? '') as ScaleFigures));
await place('reference.html', renderReference(JSON.parse(contract) as ApiDocument));

if (stale.length > 0) {
  console.error(`Stale: ${stale.join(', ')}. Run pnpm generate and commit the result.`);
  process.exitCode = 1;
}
