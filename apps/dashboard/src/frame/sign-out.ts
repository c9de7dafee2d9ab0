import { call } from '../api/call.ts';

/** Signs out and leaves nothing of the person in the page's memory. */
export async function signOut(): Promise<void> {
  await call('DELETE /session', {}, { quiet: true });
  location.assign('/sign-in');
}
