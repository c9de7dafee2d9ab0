import { ApiError } from './api-error.ts';

/** Requests that need a step-up or a new sign-in wait for one shared dialog, on any page. */

export type InterruptionKind = 'step-up' | 'sign-in';

type Waiting = { kind: InterruptionKind; ended: Promise<void>; finish: () => void; cancel: () => void };

let waiting: readonly Waiting[] = [];
const listeners = new Set<() => void>();

function change(next: readonly Waiting[]): void {
  waiting = next;
  for (const listener of listeners) listener();
}

/** Resolves when the user has completed the dialog; rejects when they cancel. */
export function interrupt(kind: InterruptionKind): Promise<void> {
  const present = waiting.find((one) => one.kind === kind);
  if (present) return present.ended;
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  const leave = () => change(waiting.filter((one) => one.ended !== ended));
  const finish = () => {
    leave();
    resolve();
  };
  const cancel = () => {
    leave();
    reject(new ApiError('CANCELLED'));
  };
  change([...waiting, { kind, ended, finish, cancel }]);
  return ended;
}

export function subscribeToInterruptions(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The interruption to show: sign-in comes before step-up. */
export const presentInterruption = (): Waiting | undefined =>
  waiting.find(({ kind }) => kind === 'sign-in') ?? waiting[0];
