import type { ReactNode } from 'react';
import { networkOf } from '../api/networks.ts';
import type { MethodChange } from '../api/queries.ts';
import { useMoments } from '../language/moments.ts';
import { useWords } from '../language/words.ts';
import { Badge } from '../parts/badge.tsx';
import { ShortAddress } from '../parts/code-text.tsx';
import type { IconName } from '../parts/icon.tsx';
import { usePersonNames } from './person-names.ts';

type Decided = Exclude<MethodChange['state'], 'pending'>;

const LOOKS: Record<Decided, { tone: 'good' | 'quiet' | 'bad'; icon: IconName }> = {
  applied: { tone: 'good', icon: 'check' },
  cancelled: { tone: 'quiet', icon: 'dash' },
  removed: { tone: 'quiet', icon: 'dash' },
  locked: { tone: 'bad', icon: 'lock' },
  failed: { tone: 'bad', icon: 'warn' },
};

function ChangeLine({ change }: { change: MethodChange }): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const nameOf = usePersonNames();
  const state = change.state as Decided;
  const asked = { person: nameOf(change.requested_by), time: moments.within(change.requested_at) };
  return (
    <li>
      <div className="row-main">
        <span className="two">
          <span className="row row-wrap">
            <strong className="strong">{networkOf(change.network).name}</strong>
            <ShortAddress address={change.address} />
          </span>
          <span className="t2">{t('methods.asked', asked)}</span>
        </span>
        <Badge {...LOOKS[state]}>{t(`change.${state}`)}</Badge>
      </div>
    </li>
  );
}

export function ChangeHistory({ changes }: { changes: readonly MethodChange[] }): ReactNode {
  const t = useWords();
  if (changes.length === 0) return null;
  return (
    <section className="card" aria-labelledby="history">
      <div className="card-head">
        <h2 id="history">{t('methods.history')}</h2>
      </div>
      <ul className="rows">
        {changes.map((change) => (
          <ChangeLine key={change.change} change={change} />
        ))}
      </ul>
    </section>
  );
}
