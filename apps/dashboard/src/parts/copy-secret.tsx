import type { ReactNode } from 'react';
import { ApiError } from '../api/api-error.ts';
import { failureText } from '../forms/failure.tsx';
import { useAction } from '../forms/use-action.ts';
import { useWords } from '../language/words.ts';
import { Said, useOutcome } from './copy.tsx';
import type { IconName } from './icon.tsx';
import { Icon } from './icon.tsx';

/**
 * Writes a secret to the clipboard. The browser gets a promise, because some let a page copy at the moment of the press
 * only. What the server refused is told before what the browser makes of it.
 */
async function writeSecret(secret: Promise<string>): Promise<void> {
  const written = navigator.clipboard.write([new ClipboardItem({ 'text/plain': secret })]);
  const failed = (await Promise.allSettled([secret, written])).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

type CopySecretProps = {
  /** Gets the secret from the server. */
  reveal: () => Promise<string>;
  /** What is copied, where the button's text does not say it. */
  label?: string;
  small?: boolean;
  icon?: IconName;
  children: ReactNode;
};

/** A button that copies a secret: from the server straight to the clipboard, never onto the page. */
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
        // What is heard begins with what is read: a button that says "Copied" is called so.
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
