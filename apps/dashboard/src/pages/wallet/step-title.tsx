import type { ReactNode } from 'react';
import { useEffect, useRef } from 'react';
import { useWords } from '../../language/words.ts';

const STEPS = 3;

/** A step's title. It takes the focus, because the previous step is gone. */
export function StepTitle({ number, text }: { number?: number; text: string }): ReactNode {
  const t = useWords();
  const ref = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (number !== 1) ref.current?.focus();
  }, [number]);
  return (
    <h3 ref={ref} tabIndex={-1} className="step-title">
      {number !== undefined && <span className="small quiet">{t('wallet.step', { number, all: STEPS })}</span>}
      {text}
    </h3>
  );
}
