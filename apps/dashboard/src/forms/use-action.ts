import { useState } from 'react';
import { isCode } from '../api/api-error.ts';

/** Something that a button does: whether it works at the moment, and why it did not. */
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
