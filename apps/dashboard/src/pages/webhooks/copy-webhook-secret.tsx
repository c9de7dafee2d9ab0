import type { ReactNode } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { failureText } from '../../forms/failure.tsx';
import { useAction } from '../../forms/use-action.ts';
import { useWords } from '../../language/words.ts';
import { Said, useOutcome } from '../../parts/copy.tsx';
import { Icon } from '../../parts/icon.tsx';
import { copySecret } from '../copy-key.tsx';

type CopyWebhookSecretProps = {
  /** Gets the secret, which goes straight to the clipboard and never onto the page. */
  reveal: () => Promise<string>;
  children: ReactNode;
};

export function CopyWebhookSecret({ reveal, children }: CopyWebhookSecretProps): ReactNode {
  const t = useWords();
  const { outcome, setOutcome } = useOutcome();
  const { run, busy, failure } = useAction(async () => {
    await copySecret(reveal());
    setOutcome('copied');
  });
  const isDone = outcome === 'copied';
  return (
    <>
      <button
        type="button"
        className={`b${isDone ? ' is-done' : ''}`}
        aria-disabled={busy}
        onClick={busy ? undefined : run}
      >
        <Icon name={isDone ? 'check' : 'copy'} />
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
