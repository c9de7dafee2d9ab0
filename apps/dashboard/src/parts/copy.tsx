import type { ReactNode } from 'react';
import { useEffect, useState } from 'react';
import { useWords } from '../language/words.ts';
import { Icon } from './icon.tsx';

const SHOWN_MS = 2_000;

type Outcome = 'copied' | 'failed' | undefined;

/** The outcome of copying, shown for a moment. */
export function useOutcome(): { outcome: Outcome; setOutcome: (outcome: Outcome) => void } {
  const [outcome, setOutcome] = useState<Outcome>();
  useEffect(() => {
    if (outcome === undefined) return undefined;
    const timer = setTimeout(() => setOutcome(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  return { outcome, setOutcome };
}

function useCopy(text: string): { outcome: Outcome; copy: () => void } {
  const { outcome, setOutcome } = useOutcome();
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setOutcome('copied'),
      () => setOutcome('failed'),
    );
  };
  return { outcome, copy };
}

export function Said({ outcome }: { outcome: Outcome }): ReactNode {
  const t = useWords();
  return (
    <span className="vh" role="status">
      {outcome === 'copied' && t('copy.done')}
      {outcome === 'failed' && t('copy.failed')}
    </span>
  );
}

/** A copy icon for lists; `label` says what is copied. */
export function CopyIcon({ text, label }: { text: string; label: string }): ReactNode {
  const { outcome, copy } = useCopy(text);
  return (
    <>
      <button type="button" className="copy" aria-label={label} title={label} onClick={copy}>
        <Icon name={outcome === 'copied' ? 'check' : 'copy'} />
      </button>
      <Said outcome={outcome} />
    </>
  );
}

/** A copy button, where copying is the task. */
export function CopyButton({ text, children }: { text: string; children: ReactNode }): ReactNode {
  const t = useWords();
  const { outcome, copy } = useCopy(text);
  return (
    <>
      <button type="button" className={`b${outcome === 'copied' ? ' is-done' : ''}`} onClick={copy}>
        <Icon name={outcome === 'copied' ? 'check' : 'copy'} />
        {outcome === 'copied' ? t('copy.done') : children}
      </button>
      <Said outcome={outcome} />
    </>
  );
}
