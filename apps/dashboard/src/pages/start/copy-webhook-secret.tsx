import type { ReactNode } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import type { Store } from '../../api/queries.ts';
import { failureText } from '../../forms/failure.tsx';
import { useAction } from '../../forms/use-action.ts';
import { useWords } from '../../language/words.ts';
import { Said, useOutcome } from '../../parts/copy.tsx';
import { Icon } from '../../parts/icon.tsx';
import { copySecret } from '../copy-key.tsx';

/** Copies the secret that signs a store's webhooks: straight to the clipboard, never onto the page. */
export function CopyWebhookSecret({ account, store }: { account: string; store: Store }): ReactNode {
  const t = useWords();
  const { outcome, setOutcome } = useOutcome();
  const path = { account, store: store.merchant_id };
  const { run, busy, failure } = useAction(async () => {
    const answer = call('POST /accounts/{account}/stores/{store}/webhook-secret/reveal', { path, body: {} });
    await copySecret(answer.then(({ webhook_secret: secret }) => secret));
    setOutcome('copied');
  });
  const isDone = outcome === 'copied';
  return (
    <>
      <button
        type="button"
        className={`b b-s${isDone ? ' is-done' : ''}`}
        aria-label={t('start.copySecret', { name: store.name })}
        aria-disabled={busy}
        onClick={busy ? undefined : run}
      >
        <Icon name={isDone ? 'check' : 'copy'} />
        {isDone ? t('copy.done') : t('copy.it')}
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
