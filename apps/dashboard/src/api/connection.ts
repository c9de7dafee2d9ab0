/** Whether the server can be reached, as the last request found it. */

let lostSinceMs: number | undefined;
let answeredMs = Date.now();
const listeners = new Set<() => void>();

function tell(): void {
  for (const listener of listeners) listener();
}

export function noteAnswer(): void {
  answeredMs = Date.now();
  if (lostSinceMs === undefined) return;
  lostSinceMs = undefined;
  tell();
}

export function noteSilence(): void {
  if (lostSinceMs !== undefined) return;
  lostSinceMs = answeredMs;
  tell();
}

export function subscribeToConnection(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** When the last answer came, in milliseconds; undefined while the server answers. */
export const readLostSinceMs = (): number | undefined => lostSinceMs;
