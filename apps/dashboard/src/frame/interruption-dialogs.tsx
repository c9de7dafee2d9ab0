import type { ReactNode } from 'react';
import { lazy, Suspense, useSyncExternalStore } from 'react';
import { presentInterruption, subscribeToInterruptions } from '../api/interruptions.ts';

// Loaded lazily: most visits never need them.
const SignInAgainDialog = lazy(async () => ({
  default: (await import('./sign-in-again-dialog.tsx')).SignInAgainDialog,
}));
const StepUpDialog = lazy(async () => ({ default: (await import('./step-up-dialog.tsx')).StepUpDialog }));

export function InterruptionDialogs(): ReactNode {
  const present = useSyncExternalStore(subscribeToInterruptions, presentInterruption);
  if (!present) return null;
  const { kind, finish, cancel } = present;
  const leave = () => {
    cancel();
    location.assign('/sign-in');
  };
  return (
    <Suspense>
      {kind === 'step-up' ? (
        <StepUpDialog onDone={finish} onCancel={cancel} />
      ) : (
        <SignInAgainDialog onDone={finish} onCancel={leave} />
      )}
    </Suspense>
  );
}
