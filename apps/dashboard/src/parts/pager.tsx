import type { ReactNode } from 'react';
import { useWords } from '../language/words.ts';

/**
 * Cursor pages: the server returns only the next cursor. Previous ones are remembered while the app is open; a page
 * opened by URL leads back to the first.
 */

const before = new Map<string, string | undefined>();

type PagerProps = {
  /** The page's cursor; undefined for the first. */
  after: string | undefined;
  /** The next cursor, if any. */
  next: string | null;
  onPage: (after: string | undefined) => void;
  /** At the start: row count and time zone. */
  children?: ReactNode;
};

function Step({ word, run }: { word: string; run: (() => void) | undefined }): ReactNode {
  return (
    <button type="button" className="b b-s" {...(run ? { onClick: run } : { 'aria-disabled': true })}>
      {word}
    </button>
  );
}

export function Pager({ after, next, onPage, children }: PagerProps): ReactNode {
  const t = useWords();
  const older = () => {
    if (next === null) return;
    before.set(next, after);
    onPage(next);
  };
  return (
    <nav className="pager" aria-label={t('pager.title')}>
      <span>{children}</span>
      {(after !== undefined || next !== null) && (
        <span className="row">
          <Step word={t('pager.newer')} run={after === undefined ? undefined : () => onPage(before.get(after))} />
          <Step word={t('pager.older')} run={next === null ? undefined : older} />
        </span>
      )}
    </nav>
  );
}

export function ZoneName(): ReactNode {
  const t = useWords();
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return t('pager.zone', { zone: timeZone.replaceAll('_', ' ') });
}
