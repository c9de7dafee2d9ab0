import type { Database } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import { Refusal } from '../lib/refusal.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { openSecret } from '../secrets/open-secret.ts';
import { keepSecrets } from '../stores/secret-cache.ts';
import { readEndpointSecretIds } from './endpoint-secret-sql.ts';
import { endpointSecretPurpose } from './webhook-endpoint.ts';

/** The signing secrets of webhook endpoints, newest first. */
export function createEndpointSecretsOf(
  { queries }: Database,
  clock: Clock,
  ring: KeyRing,
): (endpointId: bigint) => Promise<readonly string[]> {
  return keepSecrets(clock, async (endpointId, at) => {
    const ids = await readEndpointSecretIds(queries, endpointId, at);
    if (ids.length === 0) throw new Refusal('ENDPOINT_WITHOUT_SECRET', { endpointId: String(endpointId) });
    const purpose = endpointSecretPurpose(endpointId);
    return Promise.all(ids.map((id) => openSecret(queries, ring, id, purpose)));
  });
}
