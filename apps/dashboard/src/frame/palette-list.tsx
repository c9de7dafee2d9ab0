import type { ReactNode } from 'react';
import { useWords } from '../language/words.ts';
import { Icon } from '../parts/icon.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import type { Entry } from './palette-actions.ts';
import type { FoundEntry } from './use-found.ts';

type OptionProps = { id: string; isOn: boolean; run: () => void; children: ReactNode };

/** One entry. The field keeps focus and keys; the list only highlights. */
function Option({ id, isOn, run, children }: OptionProps): ReactNode {
  return (
    <li id={id} role="option" aria-selected={isOn} className={isOn ? 'is-on' : undefined} onClick={run}>
      {children}
    </li>
  );
}

type PaletteListProps = {
  id: string;
  found: readonly FoundEntry[];
  rest: readonly Entry[];
  /** Index of the highlighted entry over both groups. */
  present: number;
  isLooking: boolean;
  run: (entry: { run: () => void }) => void;
};

function FoundGroup({ id, found, present, run }: Omit<PaletteListProps, 'rest' | 'isLooking'>): ReactNode {
  const t = useWords();
  return (
    <ul role="group" aria-label={t('find.found')}>
      <li role="presentation" className="palette-title">
        {t('find.found')}
      </li>
      {found.map((entry, index) => (
        <Option key={entry.key} id={`${id}-${entry.key}`} isOn={index === present} run={() => run(entry)}>
          <Icon name={entry.icon} />
          <span className="two grow">
            <span className="strong clip" dir="auto">
              {entry.label}
            </span>
            <span className="t2 clip">{entry.about}</span>
          </span>
          {entry.status && <StatusBadge status={entry.status} />}
        </Option>
      ))}
    </ul>
  );
}

/** Search results, then pages and actions. */
export function PaletteList({ id, found, rest, present, isLooking, run }: PaletteListProps): ReactNode {
  const t = useWords();
  const isNothing = found.length === 0 && rest.length === 0;
  return (
    <>
      <p className={isNothing ? 'quiet p-5' : 'vh'} role="status">
        {isNothing && t(isLooking ? 'find.looking' : 'find.none')}
      </p>
      <div className="palette-list" role="listbox" id={id} aria-label={t('palette.title')} hidden={isNothing}>
        {found.length > 0 && <FoundGroup {...{ id, found, present, run }} />}
        {rest.length > 0 && (
          <ul role="group" aria-label={t('find.do')}>
            <li role="presentation" className="palette-title">
              {t('find.do')}
            </li>
            {rest.map((entry, index) => (
              <Option
                key={entry.key}
                id={`${id}-${entry.key}`}
                isOn={index + found.length === present}
                run={() => run(entry)}
              >
                <Icon name={entry.icon} />
                <span className="grow clip" dir="auto">
                  {entry.label}
                </span>
                {entry.about !== undefined && (
                  <bdi dir="ltr" className="mono quiet small">
                    {entry.about}
                  </bdi>
                )}
              </Option>
            ))}
          </ul>
        )}
      </div>
    </>
  );
}
