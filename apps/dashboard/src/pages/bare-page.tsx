import { LANGUAGE_CODES, LANGUAGES } from '@counterfoil/core/language.ts';
import type { ReactNode } from 'react';
import { useEffect } from 'react';
import { chooseLanguage, presentLanguage } from '../language/language.ts';
import { useWords } from '../language/words.ts';
import { Logo } from '../parts/logo.tsx';

/** A page outside the frame: a counterfoil with the task above the tear, and alternatives below. */
type BarePageProps = { title: string; about?: ReactNode; children: ReactNode; below?: ReactNode };

function LanguageLinks(): ReactNode {
  const t = useWords();
  return (
    <nav aria-label={t('me.language')} className="row row-wrap justify-center">
      {LANGUAGE_CODES.map((code) => (
        <button
          key={code}
          type="button"
          className="b b-s b-quiet"
          lang={code}
          aria-current={code === presentLanguage() ? 'true' : undefined}
          onClick={() => void chooseLanguage(code)}
        >
          {LANGUAGES[code].name}
        </button>
      ))}
    </nav>
  );
}

export function BarePage({ title, about, children, below }: BarePageProps): ReactNode {
  useEffect(() => {
    document.title = `${title} · Counterfoil`;
  }, [title]);
  return (
    <div className="bare">
      <main className="sign">
        <div className="stub">
          <div className="stub-top stack stack-l">
            <span className="brand">
              <Logo />
              Counterfoil
            </span>
            <div className="stack stack-xs">
              <h1>{title}</h1>
              {about !== undefined && <p className="quiet">{about}</p>}
            </div>
            {children}
          </div>
          {below && (
            <>
              <div className="stub-tear" aria-hidden="true" />
              <div className="stub-body stack stack-s small">{below}</div>
            </>
          )}
        </div>
      </main>
      <footer className="small quiet">
        <LanguageLinks />
      </footer>
    </div>
  );
}
