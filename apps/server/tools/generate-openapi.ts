import { pino } from 'pino';
import { Registry } from 'prom-client';
import { openDatabase } from '../src/db/database.ts';
import { buildServer } from '../src/http/build-server.ts';
import { readDocument } from '../src/http/openapi.ts';
import { systemClock } from '../src/lib/clock.ts';
import { createNetworks } from '../src/networks/networks.ts';

const write = (document: unknown) => `${JSON.stringify(document, null, 2)}\n`;

/** OpenAPI descriptions that the server serves, as committed text. Only routes are read; no connection is made. */
export async function buildOpenApi(): Promise<{ contract: string; sandbox: string }> {
  const database = openDatabase({ url: 'postgresql://nowhere', connections: 1, name: 'generate' }, () => {});
  const app = await buildServer({
    database,
    networks: createNetworks(),
    clock: systemClock,
    log: pino({ level: 'silent' }),
    registry: new Registry(),
    readiness: { shuttingDown: false },
    admit: () => Promise.reject(new Error('Nothing is served here.')),
    privateCallbacks: false,
    checkoutUrl: 'https://checkout.example',
    trustedProxies: [],
    httpsOnly: false,
    reference: false,
    assets: { scriptName: null, panelName: null, style: null, files: new Map() },
    viewers: { total: 0, perAddress: 0, perInvoice: 0, perVisitor: 0 },
    inspect: new Map(),
  });
  await app.ready();
  const contract = write(readDocument(app, 'swagger'));
  const sandbox = write(readDocument(app, 'sandboxSwagger'));
  await app.close();
  return { contract, sandbox };
}
