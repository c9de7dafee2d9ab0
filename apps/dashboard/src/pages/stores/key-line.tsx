import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { lazy, Suspense, useState } from 'react';
import type { Store } from '../../api/queries.ts';
import { storeQuery } from '../../api/store-queries.ts';
import { ltr } from '../../language/ltr.ts';
import { useMoments } from '../../language/moments.ts';
import { useWords } from '../../language/words.ts';
import { Icon } from '../../parts/icon.tsx';
import { useNowMs } from '../../parts/use-now.ts';
import { useShown } from '../../parts/use-shown.ts';

const EndKeyDialog = lazy(async () => ({ default: (await import('./end-key-dialog.tsx')).EndKeyDialog }));

const shortHint = (hint: string) => hint.replace(/^cf_(?:live|test)_/, '');

/** A key's last use, or the end of the previous one. Loaded per visible row. */
export function KeyLine({ account, store }: { account: string; store: Store }): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const nowMs = useNowMs();
  const [ending, setEnding] = useState(false);
  const { ref, isShown } = useShown<HTMLSpanElement>();
  const { data } = useQuery({ ...storeQuery(account, store.merchant_id), enabled: isShown });
  const current = data?.api_keys.find(({ state }) => state === 'current');
  const old = data?.api_keys.find(({ state }) => state === 'ending');
  if (old && old.ends_at !== null) {
    const left = moments.left(old.ends_at, nowMs);
    return (
      <span ref={ref} className="t2 row row-wrap key-old">
        <span className="warn row gap-1">
          <Icon name="clock" />
          {t('key.old', { hint: ltr(shortHint(old.api_key_hint)), left })}
        </span>
        <button
          type="button"
          className="link strong"
          aria-label={`${t('key.endNow')}: ${t('key.endTitle', { name: store.name })}`}
          onClick={() => setEnding(true)}
        >
          {t('key.endNow')}
        </button>
        {ending && (
          <Suspense>
            <EndKeyDialog
              account={account}
              store={store.merchant_id}
              name={store.name}
              apiKey={old}
              onClose={() => setEnding(false)}
            />
          </Suspense>
        )}
      </span>
    );
  }
  return (
    <span ref={ref} className="t2">
      {current === undefined
        ? '\u00a0'
        : current.last_used_at === null
          ? t('key.never')
          : t('key.used', { time: moments.short(current.last_used_at) })}
    </span>
  );
}
