import { useState } from 'react';
import { isCode } from '../api/api-error.ts';

/** State of a button's action: whether it runs, and why it failed. */
export function useAction(act: () => Promise<void>): { run: () => void; busy: boolean; failure: unknown } {
  const [state, setState] = useState<{ busy: boolean; failure: unknown }>({ busy: false, failure: undefined });
  const run = () => {
    setState({ busy: true, failure: undefined });
    act().then(
      () => setState({ busy: false, failure: undefined }),
      (cause: unknown) => setState({ busy: false, failure: isCode(cause, 'CANCELLED') ? undefined : cause }),
    );
  };
  return { run, ...state };
}
