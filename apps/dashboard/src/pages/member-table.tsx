import type { Role } from '@counterfoil/core/permission.ts';
import type { ReactNode } from 'react';
import { grantableRoles } from '../api/permission.ts';
import type { Member, Team } from '../api/queries.ts';
import { useAccount, useMe } from '../frame/membership.ts';
import { Initials } from '../frame/menus.tsx';
import { useMoments } from '../language/moments.ts';
import { useWords } from '../language/words.ts';
import { Badge } from '../parts/badge.tsx';
import { Icon } from '../parts/icon.tsx';
import { Menu } from '../parts/menu.tsx';
import { Cell, Row, Table } from '../parts/table.tsx';

export type MemberAction = 'role' | 'remove' | 'reset';
type OnAct = (action: MemberAction, member: Member) => void;

/** Actions on a member that the reader's role allows, except the reader's own two-factor reset. */
function MemberMenu({
  member,
  own,
  isMe,
  onAct,
}: {
  member: Member;
  own: Role;
  isMe: boolean;
  onAct: OnAct;
}): ReactNode {
  const t = useWords();
  if (!isMe && !grantableRoles(own).includes(member.role)) return null;
  const entries = [
    ...(isMe ? [] : [{ label: t('member.role'), onSelect: () => onAct('role', member) }]),
    ...(!isMe && own === 'owner' && member.has_factor
      ? [{ label: t('member.reset'), onSelect: () => onAct('reset', member) }]
      : []),
    { label: isMe ? t('member.leave') : t('member.remove'), danger: true, onSelect: () => onAct('remove', member) },
  ];
  return (
    <Menu
      className="b b-s b-quiet b-icon"
      label={t('member.more', { name: member.name })}
      groups={[{ entries }]}
      align="end"
    >
      <Icon name="more" />
    </Menu>
  );
}

type RowProps = { member: Member; required: boolean; own: Role; onAct: OnAct };

function MemberRow({ member, required, own, onAct }: RowProps): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const isMe = useMe().person === member.person;
  return (
    <Row>
      <Cell place="first">
        <span className="row gap-3">
          <Initials name={member.name} />
          <span className="two">
            <strong className="strong clip">
              {member.name} {isMe && <span className="tag">{t('member.you')}</span>}
            </strong>
            <bdi className="t2 clip">{member.mail}</bdi>
          </span>
        </span>
      </Cell>
      <Cell place="second">
        <span className="badge badge-line">{t(`role.${member.role}`)}</span>
      </Cell>
      <Cell place="lab" label={t('member.factor')}>
        {member.has_factor ? (
          <span className="row gap-1.5">
            <Icon name="shield" />
            {t('member.hasFactor')}
          </span>
        ) : (
          <Badge tone="warn" icon="warn">
            {required ? t('member.noAccess') : t('member.noFactor')}
          </Badge>
        )}
      </Cell>
      <Cell place="lab" label={t('member.since')}>
        <span className="quiet num nowrap">{moments.day(member.since)}</span>
      </Cell>
      <Cell place="beside" end>
        <MemberMenu member={member} own={own} isMe={isMe} onAct={onAct} />
      </Cell>
    </Row>
  );
}

export function MemberTable({ team, onAct }: { team: Team; onAct: OnAct }): ReactNode {
  const t = useWords();
  const { role } = useAccount();
  const columns = [
    { title: t('member.person') },
    { title: t('member.roleColumn') },
    { title: t('member.factor') },
    { title: t('member.since') },
    { title: t('table.actions'), end: true, hidden: true },
  ];
  return (
    <div className="card">
      <Table label={t('team.members')} columns={columns}>
        {team.members.map((member) => (
          <MemberRow key={member.person} member={member} required={team.two_factor_required} own={role} onAct={onAct} />
        ))}
      </Table>
    </div>
  );
}
