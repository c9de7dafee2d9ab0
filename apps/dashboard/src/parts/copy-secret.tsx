import type { ReactNode } from 'react';
import { ApiError } from '../api/api-error.ts';
import { failureText } from '../forms/failure.tsx';
import { useAction } from '../forms/use-action.ts';
import { useWords } from '../language/words.ts';
import { Said, useOutcome } from './copy.tsx';
import type { IconName } from './icon.tsx';
import { Icon } from './icon.tsx';

/**
 * Copies a secret as a promise, because some browsers allow copying only during the click. A refusal by the server
 * comes before the browser's error.
 */
async function writeSecret(secret: Promise<string>): Promise<void> {
  const written = navigator.clipboard.write([new ClipboardItem({ 'text/plain': secret })]);
  const failed = (await Promise.allSettled([secret, written])).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

type CopySecretProps = {
  /** Loads the secret from the server. */
  reveal: () => Promise<string>;
  /** What is copied, if the button's text does not say it. */
  label?: string;
  small?: boolean;
  icon?: IconName;
  children: ReactNode;
};

/** Copies a secret from the server to the clipboard, never to the page. */
export function CopySecret({ reveal, label, small = false, icon = 'copy', children }: CopySecretProps): ReactNode {
  const t = useWords();
  const { outcome, setOutcome } = useOutcome();
  const { run, busy, failure } = useAction(async () => {
    await writeSecret(reveal());
    setOutcome('copied');
  });
  const isDone = outcome === 'copied';
  return (
    <>
      <button
        type="button"
        className={`b${small ? ' b-s' : ''}${isDone ? ' is-done' : ''}`}
        // The accessible name must begin with the visible text.
        aria-label={isDone ? undefined : label}
        aria-disabled={busy}
        onClick={busy ? undefined : run}
      >
        <Icon name={isDone ? 'check' : icon} />
        {isDone ? t('copy.done') : children}
      </button>
      <Said outcome={outcome} />
      {failure !== undefined && (
        <span className="small bad" role="alert">
          {failure instanceof ApiError ? failureText(t, failure) : t('copy.again')}
        </span>
      )}
    </>
  );
}
