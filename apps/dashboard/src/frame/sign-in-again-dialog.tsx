import type { ReactNode } from 'react';
import { call } from '../api/call.ts';
import { meQuery, queryClient } from '../api/queries.ts';
import { SignInForm } from '../forms/sign-in-form.tsx';
import { useWords } from '../language/words.ts';
import { Dialog } from '../parts/dialog.tsx';

/** Shown over the page when a session has ended; input below it is kept. */
export function SignInAgainDialog({ onDone, onCancel }: { onDone: () => void; onCancel: () => void }): ReactNode {
  const t = useWords();
  const before = queryClient.getQueryData(meQuery.queryKey);
  const finish = async () => {
    const me = await call('GET /me', {}, { quiet: true });
    // Another user must not see or send what the previous one had on the page.
    if (before && me.person !== before.person) {
      location.assign('/');
      return;
    }
    queryClient.setQueryData(meQuery.queryKey, me);
    onDone();
  };
  return (
    <Dialog title={t('signIn.again')} onClose={onCancel} sticky>
      <p className="quiet">{t('signIn.againAbout')}</p>
      <SignInForm mail={before?.mail} onDone={() => void finish()} />
    </Dialog>
  );
}
