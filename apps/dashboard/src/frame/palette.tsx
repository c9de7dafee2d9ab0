import { Dialog } from '@base-ui/react/dialog';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { KeyboardEvent, ReactNode } from 'react';
import { useId, useRef, useState } from 'react';
import { may } from '../api/permission.ts';
import { storesQuery } from '../api/queries.ts';
import { useWords } from '../language/words.ts';
import type { IconName } from '../parts/icon.tsx';
import { Icon } from '../parts/icon.tsx';
import { useMe, useMembership } from './membership.ts';
import { MERCHANT_PAGES } from './pages.ts';
import { signOut } from './sign-out.ts';
import { chooseTheme } from './theme.ts';

type Entry = { key: string; label: string; about?: string; icon: IconName; run: () => void };

/** Everything that the palette finds: pages, stores by name or merchant ID, other merchants, and what can be done. */
function useEntries(): Entry[] {
  const t = useWords();
  const navigate = useNavigate();
  const me = useMe();
  const present = useMembership();
  const account = present?.account ?? '';
  const { data } = useQuery({ ...storesQuery(account), enabled: account !== '' });
  const pages = MERCHANT_PAGES.filter(({ needs }) => present && may(present.role, needs)).map(
    ({ to, title, icon }): Entry => ({
      key: to,
      label: t(title),
      icon,
      run: () => void navigate({ to, params: { account } }),
    }),
  );
  const seesMethods = present !== undefined && may(present.role, 'method.see');
  const stores = (seesMethods ? (data?.stores ?? []) : []).map(({ merchant_id: store, name }): Entry => ({
    key: store,
    label: name,
    about: store,
    icon: 'store',
    run: () => void navigate({ to: '/m/$account/stores/$store/methods', params: { account, store } }),
  }));
  const others = me.accounts
    .filter((one) => one.account !== account)
    .map((one): Entry => ({
      key: one.account,
      label: one.name,
      about: one.account,
      icon: 'team',
      run: () => void navigate({ to: '/m/$account/stores', params: { account: one.account } }),
    }));
  return [
    ...pages,
    { key: 'me', label: t('me.title'), icon: 'shield', run: () => void navigate({ to: '/me/security' }) },
    ...stores,
    ...others,
    { key: 'light', label: t('palette.light'), icon: 'eye', run: () => chooseTheme('light') },
    { key: 'dark', label: t('palette.dark'), icon: 'eye', run: () => chooseTheme('dark') },
    { key: 'out', label: t('action.signOut'), icon: 'back', run: () => void signOut() },
  ];
}

const fits = ({ label, about = '' }: Entry, query: string) =>
  `${label} ${about}`.toLowerCase().includes(query.trim().toLowerCase());

/** Finds pages, stores and actions by a few letters. */
export function Palette({ onClose }: { onClose: () => void }): ReactNode {
  const t = useWords();
  const id = useId();
  const fieldRef = useRef<HTMLInputElement>(null);
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const found = useEntries().filter((entry) => fits(entry, query));
  const present = Math.min(at, found.length - 1);
  const run = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    entry.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt((present + step + found.length) % Math.max(1, found.length));
    else if (event.key === 'Enter') run(found[present]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="veil" />
        <Dialog.Popup className="palette" aria-label={t('palette.title')} initialFocus={fieldRef}>
          <div className="palette-q">
            <Icon name="search" large />
            <input
              ref={fieldRef}
              className="palette-field"
              role="combobox"
              aria-expanded="true"
              aria-controls={id}
              aria-activedescendant={found[present] ? `${id}-${found[present].key}` : undefined}
              aria-label={t('palette.title')}
              placeholder={t('palette.hint')}
              value={query}
              onChange={(event) => setQuery(event.target.value)}
              onKeyDown={onKeyDown}
            />
          </div>
          <PaletteList id={id} found={found} present={present} run={run} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

type ListProps = { id: string; found: readonly Entry[]; present: number; run: (entry: Entry) => void };

function PaletteList({ id, found, present, run }: ListProps): ReactNode {
  const t = useWords();
  if (found.length === 0) {
    return (
      <p className="quiet p-5" role="status" id={id}>
        {t('palette.nothing')}
      </p>
    );
  }
  return (
    <ul className="palette-list pt-2" role="listbox" id={id} aria-label={t('palette.title')}>
      {found.map((entry, index) => (
        // The field keeps the focus and takes the keys; the list only shows which entry is meant.
        <li
          key={entry.key}
          id={`${id}-${entry.key}`}
          role="option"
          aria-selected={index === present}
          className={index === present ? 'is-on' : undefined}
          onClick={() => run(entry)}
        >
          <Icon name={entry.icon} />
          <span className="grow clip">{entry.label}</span>
          {entry.about !== undefined && (
            <bdi dir="ltr" className="mono quiet small">
              {entry.about}
            </bdi>
          )}
        </li>
      ))}
    </ul>
  );
}
