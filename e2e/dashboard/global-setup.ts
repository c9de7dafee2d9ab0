import { existsSync } from 'node:fs';

/** Journeys need the built app. */
export function setup(): void {
  const document = new URL('../../apps/dashboard/dist/index.html', import.meta.url);
  if (!existsSync(document)) throw new Error('The app is not built; run pnpm build.');
}
