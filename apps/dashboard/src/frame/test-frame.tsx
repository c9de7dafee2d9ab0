import type { ReactNode } from 'react';
import { useEffect } from 'react';
import { useWords } from '../language/words.ts';

/** Marks the frame for a test store by hatch, word and edge, never colour alone. */
export function TestFrame(): ReactNode {
  const t = useWords();
  useEffect(() => {
    document.body.classList.add('frame-test');
    return () => document.body.classList.remove('frame-test');
  }, []);
  return (
    <div className="mode-bar rounded-lg" role="status">
      <span className="mode-word">{t('mode.test')}</span>
      <span>{t('mode.testAbout')}</span>
    </div>
  );
}
