import { Dialog } from '@base-ui/react/dialog';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { KeyboardEvent, ReactNode } from 'react';
import { useId, useRef, useState } from 'react';
import { may } from '../api/permission.ts';
import { storesQuery } from '../api/queries.ts';
import { useWords } from '../language/words.ts';
import { Icon } from '../parts/icon.tsx';
import { PaletteList } from './palette-list.tsx';
import { useMe, useReachedMembership } from './membership.ts';
import { MERCHANT_PAGES } from './pages.ts';
import type { Entry } from './palette-actions.ts';
import { useActions } from './palette-actions.ts';
import { recognise } from './recognise.ts';
import { signOut } from './sign-out.ts';
import { chooseTheme } from './theme.ts';
import type { FoundEntry } from './use-found.ts';
import { useFound } from './use-found.ts';

/** Palette entries: pages, stores by name or merchant ID, other merchants, and actions. */
function useEntries(): Entry[] {
  const t = useWords();
  const navigate = useNavigate();
  const me = useMe();
  const present = useReachedMembership();
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
      run: () => void navigate({ to: '/m/$account', params: { account: one.account } }),
    }));
  const create = () => void navigate({ to: '/m/$account/invoices', params: { account }, search: { create: 'yes' } });
  return [
    ...pages,
    { key: 'me', label: t('me.title'), icon: 'shield', run: () => void navigate({ to: '/me/security' }) },
    ...(present !== undefined && may(present.role, 'invoice.create')
      ? [{ key: 'create', label: t('find.create'), icon: 'plus' as const, run: create }]
      : []),
    ...stores,
    ...others,
    { key: 'light', label: t('palette.light'), icon: 'eye', run: () => chooseTheme('light') },
    { key: 'dark', label: t('palette.dark'), icon: 'eye', run: () => chooseTheme('dark') },
    { key: 'out', label: t('action.signOut'), icon: 'back', run: () => void signOut() },
  ];
}

function fits({ label, about = '', words = '', sought = false }: Entry, query: string): boolean {
  const typed = query.trim().toLowerCase();
  return (typed !== '' || !sought) && `${label} ${about} ${words}`.toLowerCase().includes(typed);
}

/** Results for a text: the server's first, then pages, stores and actions. */
function useListed(query: string): { found: FoundEntry[]; rest: Entry[]; isLooking: boolean } {
  const { account = '' } = useReachedMembership() ?? {};
  const { found, isLooking } = useFound(account, query);
  const rest = [...useEntries(), ...useActions()].filter((entry) => fits(entry, query));
  return { found, rest, isLooking };
}

/** Finds objects by id, hash, address or order, and pages, stores and actions by a few letters. */
export function Palette({ onClose }: { onClose: () => void }): ReactNode {
  const t = useWords();
  const id = useId();
  const fieldRef = useRef<HTMLInputElement>(null);
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const { found, rest, isLooking } = useListed(query);
  const all = [...found, ...rest];
  const present = Math.max(0, Math.min(at, all.length - 1));
  const sought = recognise(query);
  const run = (entry: { run: () => void } | undefined) => {
    if (!entry) return;
    onClose();
    entry.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt((present + step + all.length) % Math.max(1, all.length));
    else if (event.key === 'Enter') run(all[present]);
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
              aria-activedescendant={all[present] ? `${id}-${all[present].key}` : undefined}
              aria-label={t('palette.title')}
              placeholder={t('palette.hint')}
              spellCheck={false}
              autoComplete="off"
              value={query}
              onChange={(event) => {
                setQuery(event.target.value);
                setAt(0);
              }}
              onKeyDown={onKeyDown}
            />
            {sought && (sought !== 'order' || found.length > 0) && (
              <span className="quiet small nowrap">{t(`find.${sought}`)}</span>
            )}
          </div>
          <PaletteList {...{ id, found, rest, present, run, isLooking }} />
          <PaletteFoot />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function PaletteFoot(): ReactNode {
  const t = useWords();
  return (
    <div className="palette-foot ph-hide" aria-hidden="true">
      <span>
        <kbd>↑</kbd> <kbd>↓</kbd> {t('find.move')}
      </span>
      <span>
        <kbd>↵</kbd> {t('find.open')}
      </span>
      <span>
        <kbd>esc</kbd> {t('action.close').toLowerCase()}
      </span>
    </div>
  );
}
