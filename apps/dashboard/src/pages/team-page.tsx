import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { may } from '../api/permission.ts';
import type { Member } from '../api/queries.ts';
import { teamQuery } from '../api/queries.ts';
import { useAccount } from '../frame/membership.ts';
import { useWords } from '../language/words.ts';
import { Button } from '../parts/button.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { InvitationList } from './invitation-list.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { ChangeRoleDialog, RemoveMemberDialog, ResetFactorsDialog } from './member-dialogs.tsx';
import type { MemberAction } from './member-table.tsx';
import { MemberTable } from './member-table.tsx';
import { RoleMatrix } from './role-matrix.tsx';
import { TwoFactorSection } from './two-factor-section.tsx';
import { TeamTabs } from './team-tabs.tsx';

type Open = { action: MemberAction; member: Member } | 'invite' | undefined;

const DIALOGS = { role: ChangeRoleDialog, remove: RemoveMemberDialog, reset: ResetFactorsDialog };

export function TeamPage(): ReactNode {
  const t = useWords();
  const { account, name, role } = useAccount();
  const [open, setOpen] = useState<Open>();
  const query = useQuery(teamQuery(account));
  const close = () => setOpen(undefined);
  const invite = may(role, 'team.change') && query.data && (
    <Button look="main" icon="plus" onClick={() => setOpen('invite')}>
      {t('team.invite')}
    </Button>
  );
  const MemberDialog = typeof open === 'object' ? DIALOGS[open.action] : undefined;
  return (
    <>
      <PageHead title={t('team.title')} about={t('team.about', { name })} actions={invite} />
      <TeamTabs />
      <Loaded query={query} role={role} permission="team.see" bones="table">
        {(team) => (
          <>
            <MemberTable team={team} onAct={(action, member) => setOpen({ action, member })} />
            <InvitationList invitations={team.invitations} />
            <TwoFactorSection team={team} />
          </>
        )}
      </Loaded>
      <RoleMatrix own={role} />
      {open === 'invite' && <InviteDialog account={account} role={role} onClose={close} />}
      {MemberDialog && typeof open === 'object' && (
        <MemberDialog account={account} role={role} member={open.member} onClose={close} />
      )}
    </>
  );
}
