import type { Reach, Role } from '@counterfoil/core/permission.ts';
import { PERMISSION_NAMES, reachOf, ROLES } from '@counterfoil/core/permission.ts';
import type { ReactNode } from 'react';
import type { WordKey } from '../language/words.ts';
import { useWords } from '../language/words.ts';
import { Icon } from '../parts/icon.tsx';

/** Permissions by role, from the server's table. Collapsed by role on phones. */

function ReachMark({ reach }: { reach: Reach }): ReactNode {
  const t = useWords();
  if (reach === 'test') return <span className="small quiet">{t('reach.test')}</span>;
  return (
    <span className={reach === 'all' ? 'yes' : 'no'}>
      <Icon name={reach === 'all' ? 'check' : 'dash'} />
      <span className="vh">{reach === 'all' ? t('reach.all') : t('reach.none')}</span>
    </span>
  );
}

function WideMatrix({ own }: { own: Role }): ReactNode {
  const t = useWords();
  return (
    <div className="tw desk">
      <table className="matrix" aria-labelledby="matrix">
        <thead>
          <tr>
            <th scope="col">
              <span className="vh">{t('team.right')}</span>
            </th>
            {ROLES.map((role) => (
              <th key={role} scope="col" className={role === own ? 'is-mine' : undefined}>
                {t(`role.${role}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {PERMISSION_NAMES.map((name) => (
            <tr key={name}>
              <td>{t(`may.${name}` as WordKey)}</td>
              {ROLES.map((role) => (
                <td key={role} className={role === own ? 'is-mine' : undefined}>
                  <ReachMark reach={reachOf(role, name)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Folds({ own }: { own: Role }): ReactNode {
  const t = useWords();
  return (
    <div className="phone">
      {ROLES.map((role) => (
        <details key={role} className="role-fold">
          <summary>
            {t(`role.${role}`)}
            {role === own && <span className="tag">{t('member.you')}</span>}
            <Icon name="chev" />
          </summary>
          <ul className="rows small matrix">
            {PERMISSION_NAMES.map((name) => (
              <li key={name} className="row between">
                <span className={reachOf(role, name) === 'none' ? 'quiet' : undefined}>
                  {t(`may.${name}` as WordKey)}
                </span>
                <ReachMark reach={reachOf(role, name)} />
              </li>
            ))}
          </ul>
        </details>
      ))}
    </div>
  );
}

export function RoleMatrix({ own }: { own: Role }): ReactNode {
  const t = useWords();
  return (
    <section className="card" aria-labelledby="matrix">
      <div className="card-head">
        <h2 id="matrix">{t('team.matrix')}</h2>
        <span className="small quiet">{t('team.marked')}</span>
      </div>
      <WideMatrix own={own} />
      <Folds own={own} />
    </section>
  );
}
