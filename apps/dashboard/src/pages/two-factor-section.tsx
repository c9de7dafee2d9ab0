import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { may } from '../api/permission.ts';
import type { Team } from '../api/queries.ts';
import { meQuery, queryClient, teamQuery } from '../api/queries.ts';
import { Failure } from '../forms/failure.tsx';
import { useAction } from '../forms/use-action.ts';
import { useAccount, useMe } from '../frame/membership.ts';
import { useWords } from '../language/words.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Section } from '../parts/section.tsx';
import { Toggle } from '../parts/toggle.tsx';

/** The team's two-factor requirement, and how many members comply. */

async function save(account: string, required: boolean): Promise<void> {
  await call('PUT /accounts/{account}/two-factor', { path: { account }, body: { required } });
  await Promise.all([
    queryClient.invalidateQueries(teamQuery(account)),
    queryClient.invalidateQueries({ queryKey: meQuery.queryKey }),
  ]);
}

type RequireProps = { account: string; missing: Team['members']; onClose: () => void };

function RequireDialog({ account, missing, onClose }: RequireProps): ReactNode {
  const t = useWords();
  const { run, busy, failure } = useAction(async () => {
    await save(account, true);
    onClose();
  });
  const foot = (
    <>
      <Button onClick={onClose}>{t('action.cancel')}</Button>
      <Button look="main" icon="shield" busy={busy && t('action.saving')} onClick={run}>
        {t('twoFactor.confirm')}
      </Button>
    </>
  );
  return (
    <Dialog title={t('twoFactor.confirm')} onClose={onClose} foot={foot}>
      <p>{missing.length === 0 ? t('twoFactor.nobody') : t('twoFactor.missing')}</p>
      {missing.length > 0 && (
        <ul className="stack stack-s">
          {missing.map(({ person, name, mail }) => (
            <li key={person} className="two">
              <strong className="strong clip">{name}</strong>
              <bdi className="t2 clip">{mail}</bdi>
            </li>
          ))}
        </ul>
      )}
      <Failure cause={failure} />
    </Dialog>
  );
}

function RequireToggle({ account, team }: { account: string; team: Team }): ReactNode {
  const t = useWords();
  const me = useMe();
  const [asking, setAsking] = useState(false);
  const lift = useAction(() => save(account, false));
  const { two_factor_required: on, members } = team;
  const isReady = on || me.has_factor;
  return (
    <div className="card-pad stack">
      <Toggle
        label={t('twoFactor.require')}
        about={isReady ? t('twoFactor.requireAbout') : t('twoFactor.ownFirst')}
        on={on}
        disabled={!isReady || lift.busy}
        onChange={(wanted) => (wanted ? setAsking(true) : lift.run())}
      />
      {!isReady && (
        <Link className="b self-start" to="/me/security">
          {t('factor.add')}
        </Link>
      )}
      <Failure cause={lift.failure} />
      {asking && (
        <RequireDialog
          account={account}
          missing={members.filter((one) => !one.has_factor)}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  );
}

export function TwoFactorSection({ team }: { team: Team }): ReactNode {
  const t = useWords();
  const { account, role } = useAccount();
  const { members, two_factor_required: required } = team;
  const ready = members.filter((one) => one.has_factor).length;
  const state = (
    <span className="badge badge-line">{required ? t('twoFactor.required') : t('twoFactor.optional')}</span>
  );
  return (
    <Section title={t('twoFactor.title')} about={t('twoFactor.count', { ready, all: members.length })} actions={state}>
      {may(role, 'team.require_two_factor') && <RequireToggle account={account} team={team} />}
    </Section>
  );
}
