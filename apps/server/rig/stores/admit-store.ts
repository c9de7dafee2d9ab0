import type { Database } from '../../src/db/database.ts';
import { admitAll } from '../../src/stores/admission-sql.ts';
import { hashApiKey } from '../../src/stores/api-key.ts';
import type { AdmittedStore } from '../../src/stores/store-for-key.ts';
import { storeForKey } from '../../src/stores/store-for-key.ts';
import type { TestStore } from './open-store.ts';

/** The store as verbs of the API take it: admitted by its API key, which counts as one request. */
export async function admitStore(database: Database, store: TestStore): Promise<AdmittedStore> {
  const request = { keyHash: hashApiKey(store.apiKey), address: 'rig' };
  const [admission] = await admitAll(database.pool, 'create', [request]);
  if (!admission?.store) throw new Error('The store was not admitted.');
  return storeForKey(admission.store);
}
