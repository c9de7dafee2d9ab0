import type { ReactNode } from 'react';
import { useMe } from '../frame/membership.ts';
import { useWords } from '../language/words.ts';
import { Note } from '../parts/note.tsx';

/** Merchants that require two-factor of the reader. */
export function RequiredNote(): ReactNode {
  const t = useWords();
  const me = useMe();
  const requiring = me.accounts.filter((one) => one.two_factor_required).map(({ name }) => name);
  if (requiring.length === 0) return null;
  const names = new Intl.ListFormat(document.documentElement.lang).format(requiring);
  if (me.has_factor) {
    return (
      <Note tone="info" icon="shield" title={t('required.keep', { names })}>
        <p>{t('required.keepAbout')}</p>
      </Note>
    );
  }
  return (
    <Note tone="warn" icon="shield" title={t('required.missing')}>
      <p>{t('required.missingAbout', { names })}</p>
    </Note>
  );
}
