import { ApiError } from './api-error.ts';

/**
 * What a request needs of the person before it can go on: to prove again who they are, or to sign in again. A dialog
 * asks, whichever page is shown; all requests that need the same wait for the same dialog.
 */

export type InterruptionKind = 'step-up' | 'sign-in';

type Waiting = { kind: InterruptionKind; ended: Promise<void>; finish: () => void; cancel: () => void };

let waiting: readonly Waiting[] = [];
const listeners = new Set<() => void>();

function change(next: readonly Waiting[]): void {
  waiting = next;
  for (const listener of listeners) listener();
}

/** Resolves when the person has done what is asked; fails when they do not want to. */
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

/** The interruption to show: nobody can step up who is not signed in. */
export const presentInterruption = (): Waiting | undefined =>
  waiting.find(({ kind }) => kind === 'sign-in') ?? waiting[0];
