/** Whether the last request reached the server. */

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

/** Time of the last answer in ms; undefined while the server answers. */
export const readLostSinceMs = (): number | undefined => lostSinceMs;
