import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMe } from '../frame/membership.ts';
import { useWords } from '../language/words.ts';
import { Note } from '../parts/note.tsx';

/** What a user without two-factor cannot do. */
export function FactorNote(): ReactNode {
  const t = useWords();
  const me = useMe();
  if (me.has_factor) return null;
  return (
    <Note
      tone="info"
      icon="shield"
      title={t('factor.missing')}
      actions={
        <Link className="b" to="/me/security">
          {t('factor.add')}
        </Link>
      }
    >
      <p>{t('factor.missingAbout')}</p>
    </Note>
  );
}
