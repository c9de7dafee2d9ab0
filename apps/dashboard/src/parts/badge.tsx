import type { ReactNode } from 'react';
import { useWords } from '../language/words.ts';
import type { IconName } from './icon.tsx';
import { Icon } from './icon.tsx';

/** A state as icon, word and tint, readable without colours. */

type Tone = 'good' | 'info' | 'warn' | 'bad' | 'quiet';

export function Badge({ tone, icon, children }: { tone: Tone; icon: IconName; children: ReactNode }): ReactNode {
  return (
    <span className={`badge${tone === 'quiet' ? '' : ` badge-${tone}`}`}>
      <Icon name={icon} />
      {children}
    </span>
  );
}

/** Live or test. */
export function ModeBadge({ mode }: { mode: 'live' | 'test' }): ReactNode {
  const t = useWords();
  return mode === 'live' ? (
    <span className="badge badge-line">{t('mode.live')}</span>
  ) : (
    <span className="badge badge-test">{t('mode.test')}</span>
  );
}
