import { call } from '../api/call.ts';

export async function signOut(): Promise<void> {
  await call('DELETE /session', {}, { quiet: true });
  location.assign('/sign-in');
}
