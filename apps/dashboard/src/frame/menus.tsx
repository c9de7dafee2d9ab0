import { LANGUAGE_CODES, LANGUAGES } from '@counterfoil/core/language.ts';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { presentLanguage } from '../language/language.ts';
import { useWords } from '../language/words.ts';
import { Icon } from '../parts/icon.tsx';
import { Menu } from '../parts/menu.tsx';
import { useMe, useMembership } from './membership.ts';
import { chooseOwnLanguage } from './own-language.ts';
import { signOut } from './sign-out.ts';
import { chooseTheme, presentTheme, THEMES } from './theme.ts';

/** Menus of the frame: merchant and user. */

export function AccountMenu(): ReactNode {
  const t = useWords();
  const navigate = useNavigate();
  const me = useMe();
  const present = useMembership();
  const entries = me.accounts.map(({ account, name }) => ({
    label: name,
    on: account === present?.account,
    onSelect: () => void navigate({ to: '/m/$account', params: { account } }),
  }));
  return (
    <Menu className="switch" groups={[{ title: t('frame.accounts'), entries }]}>
      <span className="logo" aria-hidden="true">
        {(present?.name ?? 'C').slice(0, 1).toUpperCase()}
      </span>
      <span className="grow">
        <strong className="clip" dir="auto">
          {present?.name ?? 'Counterfoil'}
        </strong>
        <small className="clip" dir="ltr">
          {present?.account ?? me.mail}
        </small>
      </span>
      <Icon name="down" />
    </Menu>
  );
}

const initialsOf = (name: string) =>
  name
    .split(/\s+/)
    .map((word) => word.slice(0, 1))
    .slice(0, 2)
    .join('')
    .toUpperCase();

export function Initials({ name }: { name: string }): ReactNode {
  return (
    <span className="ava" aria-hidden="true">
      {initialsOf(name)}
    </span>
  );
}

export function PersonMenu({ compact = false }: { compact?: boolean }): ReactNode {
  const t = useWords();
  const navigate = useNavigate();
  const me = useMe();
  const present = useMembership();
  const [theme, setTheme] = useState(presentTheme());
  const own = [
    { label: t('me.title'), icon: 'shield' as const, onSelect: () => void navigate({ to: '/me/security' }) },
    { label: t('notices.title'), icon: 'bell' as const, onSelect: () => void navigate({ to: '/me/notifications' }) },
    { label: t('action.signOut'), icon: 'back' as const, onSelect: () => void signOut() },
  ];
  const themes = THEMES.map((one) => ({
    label: t(`theme.${one}`),
    on: one === theme,
    onSelect: () => {
      chooseTheme(one);
      setTheme(one);
    },
  }));
  const languages = LANGUAGE_CODES.map((code) => ({
    label: LANGUAGES[code].name,
    on: code === presentLanguage(),
    onSelect: () => void chooseOwnLanguage(code),
  }));
  const groups = [
    { title: me.mail, entries: own },
    { title: t('theme.title'), entries: themes },
    { title: t('me.language'), entries: languages },
  ];
  if (compact) {
    return (
      <Menu className="tap" groups={groups} align="end">
        <Initials name={me.name} />
        <span className="vh">{t('frame.you', { name: me.name })}</span>
      </Menu>
    );
  }
  return (
    <Menu className="switch" groups={groups} side="top">
      <Initials name={me.name} />
      <span className="grow">
        <strong className="clip" dir="auto">
          {me.name}
        </strong>
        <small>{present ? t(`role.${present.role}`) : ''}</small>
      </span>
      <Icon name="more" />
    </Menu>
  );
}
