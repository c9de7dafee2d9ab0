import type { ReactNode } from 'react';
import { ApiError } from '../api/api-error.ts';
import { call } from '../api/call.ts';
import type { Store } from '../api/queries.ts';
import { failureText } from '../forms/failure.tsx';
import { useAction } from '../forms/use-action.ts';
import { useWords } from '../language/words.ts';
import { Said, useOutcome } from '../parts/copy.tsx';
import { Icon } from '../parts/icon.tsx';

/**
 * Writes a secret to the clipboard. The browser gets a promise, because some let a page copy at the moment of the press
 * only. What the server refused is told before what the browser makes of it.
 */
export async function copySecret(secret: Promise<string>): Promise<void> {
  const written = navigator.clipboard.write([new ClipboardItem({ 'text/plain': secret })]);
  const failed = (await Promise.allSettled([secret, written])).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** Copies the API key of a store: from the server straight to the clipboard, never onto the page. */
export function CopyKey({
  account,
  store,
}: {
  account: string;
  store: Pick<Store, 'merchant_id' | 'name'>;
}): ReactNode {
  const t = useWords();
  const { outcome, setOutcome } = useOutcome();
  const path = { account, store: store.merchant_id };
  const { run, busy, failure } = useAction(async () => {
    const answer = call('POST /accounts/{account}/stores/{store}/key/reveal', { path, body: {} });
    await copySecret(answer.then(({ api_key: key }) => key));
    setOutcome('copied');
  });
  const isDone = outcome === 'copied';
  return (
    <>
      <button
        type="button"
        className={`b b-s${isDone ? ' is-done' : ''}`}
        aria-label={t('stores.copyKey', { name: store.name })}
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
