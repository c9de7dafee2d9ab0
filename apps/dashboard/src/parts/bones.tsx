import type { ReactNode } from 'react';
import { useEffect, useState } from 'react';
import { useWords } from '../language/words.ts';

export type BonesKind = 'rows' | 'table' | 'figures';

const PATIENCE_MS = 150;
const ROWS = [1, 2, 3, 4, 5, 6];
const CELLS = [1, 2, 3];
const FIGURES = [1, 2, 3, 4];

function Rows({ cells = false }: { cells?: boolean }): ReactNode {
  return (
    <div className="rows">
      {ROWS.map((one) => (
        <div key={one} className="row between bone-row">
          <span className="two grow gap-2">
            <span className="bone bone-title" />
            <span className="bone bone-line" />
          </span>
          {cells &&
            CELLS.map((cell) => (
              <span key={cell} className="grow ph-hide">
                <span className="bone bone-end" />
              </span>
            ))}
          <span className="bone bone-end" />
        </div>
      ))}
    </div>
  );
}

const KINDS: Record<BonesKind, ReactNode> = {
  rows: (
    <div className="card">
      <Rows />
    </div>
  ),
  table: (
    <div className="card">
      <div className="bone-head ph-hide">
        <span className="bone bone-end" />
      </div>
      <Rows cells />
    </div>
  ),
  figures: (
    <div className="stack bone-page">
      <div className="figs">
        {FIGURES.map((one) => (
          <div key={one} className="fig">
            <span className="k">
              <span className="bone bone-end" />
            </span>
            <span className="v">
              <span className="bone bone-title" />
            </span>
            <span className="d">
              <span className="bone bone-line" />
            </span>
          </div>
        ))}
      </div>
      <div className="card">
        <Rows />
      </div>
    </div>
  ),
};

/** Shown only when loading takes noticeably long. */
export function Bones({ kind = 'rows' }: { kind?: BonesKind }): ReactNode {
  const t = useWords();
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!shown) return null;
  return (
    <div aria-busy="true">
      <span className="vh" role="status">
        {t('state.loading')}
      </span>
      <div aria-hidden="true">{KINDS[kind]}</div>
    </div>
  );
}
