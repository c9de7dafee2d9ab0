import type { ReactNode } from 'react';
import { useWords } from '../language/words.ts';

/**
 * Pages of a list that is read by cursor: the server says where the next page begins, and nothing of the one before. The
 * way back is remembered while the app is open; a page that was opened by its address leads back to the first.
 */

const before = new Map<string, string | undefined>();

type PagerProps = {
  /** The cursor of the present page; none for the first. */
  after: string | undefined;
  /** Where the next page begins; null when there is none. */
  next: string | null;
  onPage: (after: string | undefined) => void;
  /** What stands at the start: how many rows, and in which zone times are written. */
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

/** The zone in which a page writes its times, named once per page. */
export function ZoneName(): ReactNode {
  const t = useWords();
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return t('pager.zone', { zone: timeZone.replaceAll('_', ' ') });
}
