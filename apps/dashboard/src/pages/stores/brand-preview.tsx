import type { ReactNode } from 'react';
import { useEffect, useRef } from 'react';
import { useWords } from '../../language/words.ts';
import { isColour, textOn } from './accent.ts';

const EXAMPLE_SUM = '$49.98';

export type Look = { name: string; accent: string; support: string; logo: string | undefined };

export function BrandPreview({ name, accent, support, logo }: Look): ReactNode {
  const t = useWords();
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const style = frame.current?.style;
    if (!style) return;
    // The page's policy allows styles set by script, but not in markup.
    if (isColour(accent)) {
      style.setProperty('--look-accent', accent);
      style.setProperty('--look-on-accent', textOn(accent));
    } else {
      style.removeProperty('--look-accent');
      style.removeProperty('--look-on-accent');
    }
  }, [accent]);
  return (
    <div className="look" ref={frame} role="img" aria-label={t('brand.previewLabel', { name })}>
      <div className="look-bar" />
      <div className="look-body" aria-hidden="true">
        <div className="row gap-3">
          {logo === undefined ? (
            <span className="logo look-logo">{name.slice(0, 1).toUpperCase()}</span>
          ) : (
            <img className="look-picture" src={logo} alt="" />
          )}
          <span className="two">
            <span className="small quiet">{t('brand.payTo')}</span>
            <strong className="strong look-name" dir="auto">
              {name}
            </strong>
          </span>
        </div>
        <p className="sum-money">
          <bdi dir="ltr">
            {EXAMPLE_SUM} <small>USD</small>
          </bdi>
        </p>
        <span className="look-button">{t('brand.example')}</span>
        {support !== '' && (
          <p className="small quiet look-name">
            {t('brand.questions')} <bdi dir="ltr">{support}</bdi>
          </p>
        )}
      </div>
    </div>
  );
}
