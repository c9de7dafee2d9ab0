import type { ReactNode } from 'react';
import { useMembership } from '../frame/membership.ts';
import { useWords } from '../language/words.ts';
import { Note } from '../parts/note.tsx';

/** What a business cannot do before its operator has approved it. */
export function ApprovalNote(): ReactNode {
  const t = useWords();
  const membership = useMembership();
  if (membership?.waiting !== true) return null;
  return (
    <Note tone="warn" icon="clock" title={t('approval.waits')}>
      <p>{t('approval.about', { name: membership.name })}</p>
    </Note>
  );
}
