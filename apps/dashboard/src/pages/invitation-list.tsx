import type { ReactNode } from 'react';
import { call } from '../api/call.ts';
import { may } from '../api/permission.ts';
import type { Invitation } from '../api/queries.ts';
import { queryClient, teamQuery } from '../api/queries.ts';
import { Failure } from '../forms/failure.tsx';
import { useAction } from '../forms/use-action.ts';
import { useAccount } from '../frame/membership.ts';
import { useMoments } from '../language/moments.ts';
import { useWords } from '../language/words.ts';
import { Badge } from '../parts/badge.tsx';
import { Button } from '../parts/button.tsx';

function InvitationLine({ invitation }: { invitation: Invitation }): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const { account, role } = useAccount();
  const { run, busy, failure } = useAction(async () => {
    const path = { account, invitation: invitation.invitation };
    await call('DELETE /accounts/{account}/team/invitations/{invitation}', { path });
    await queryClient.invalidateQueries(teamQuery(account));
  });
  const state = invitation.opened_at === null ? invitation.mail_state : 'opened';
  const isWell = state === 'sent' || state === 'opened' || state === 'queued';
  return (
    <li>
      <div className="row-main">
        <span className="two grow">
          <bdi className="strong clip">{invitation.mail}</bdi>
          <span className="t2">
            {t('invite.line', { role: t(`role.${invitation.role}`), time: moments.within(invitation.expires_at) })}
          </span>
        </span>
        <span className="row row-wrap">
          <Badge tone={isWell ? 'info' : 'warn'} icon={isWell ? 'send' : 'warn'}>
            {t(`invite.${state}`)}
          </Badge>
          {may(role, 'team.change') && (
            <Button
              look="quiet"
              small
              aria-label={t('invite.withdrawOf', { mail: invitation.mail })}
              busy={busy && t('action.saving')}
              onClick={run}
            >
              {t('invite.withdraw')}
            </Button>
          )}
        </span>
      </div>
      <Failure cause={failure} />
    </li>
  );
}

export function InvitationList({ invitations }: { invitations: readonly Invitation[] }): ReactNode {
  const t = useWords();
  if (invitations.length === 0) return null;
  return (
    <section className="card" aria-labelledby="invitations">
      <div className="card-head">
        <h2 id="invitations">{t('team.invitations')}</h2>
      </div>
      <ul className="rows">
        {invitations.map((one) => (
          <InvitationLine key={one.invitation} invitation={one} />
        ))}
      </ul>
    </section>
  );
}
