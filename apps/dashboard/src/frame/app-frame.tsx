import { Link, Outlet, useNavigate, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { may } from '../api/permission.ts';
import { withWords } from '../language/language.ts';
import { useWords } from '../language/words.ts';
import { Icon } from '../parts/icon.tsx';
import { onPaletteWanted } from './find.ts';
import { Menu } from '../parts/menu.tsx';
import { rememberAccount, useMembership, useReachedMembership } from './membership.ts';
import { AccountMenu, PersonMenu } from './menus.tsx';
import { MERCHANT_PAGES } from './pages.ts';
import { StateBar } from './state-bar.tsx';
import { useGlobalKeys } from './use-global-keys.ts';

const loadPalette = withWords(['lists', 'find'], () => import('./palette.tsx'));
const Palette = lazy(async () => ({ default: (await loadPalette()).Palette }));

const loadKeys = withWords(['invoices'], () => import('./keys-dialog.tsx'));
const KeysDialog = lazy(async () => ({ default: (await loadKeys()).KeysDialog }));

const loadNeeded = withWords(['security'], () => import('./two-factor-needed.tsx'));
const TwoFactorNeeded = lazy(async () => ({ default: (await loadNeeded()).TwoFactorNeeded }));

const isMac = () => /mac|iphone|ipad/i.test(navigator.platform);

/** Pages in a phone's bar, besides its last entry. */
const TABS = 4;

/** Navigation pages that the reader's role may see. */
function usePages(): typeof MERCHANT_PAGES {
  const present = useReachedMembership();
  return MERCHANT_PAGES.filter(({ needs }) => present && may(present.role, needs));
}

function Links({ pages, large = false }: { pages: typeof MERCHANT_PAGES; large?: boolean }): ReactNode {
  const t = useWords();
  const present = useMembership();
  return pages.map(({ to, title, short = title, icon }) => (
    <Link
      key={to}
      to={to}
      params={{ account: present?.account ?? '' }}
      // All URLs of a merchant begin with that of its first page.
      activeOptions={{ exact: to === '/m/$account', includeSearch: false }}
      activeProps={{ 'aria-current': 'page' }}
    >
      <Icon name={icon} large={large} />
      {t(large ? short : title)}
    </Link>
  ));
}

function MeLink({ large = false }: { large?: boolean }): ReactNode {
  const t = useWords();
  return (
    <Link to="/me/security" activeProps={{ 'aria-current': 'page' }}>
      <Icon name="shield" large={large} />
      {t('me.short')}
    </Link>
  );
}

function Sidebar({ onFind }: { onFind: () => void }): ReactNode {
  const t = useWords();
  const pages = usePages();
  return (
    <aside className="side" aria-label={t('frame.sidebar')}>
      <AccountMenu />
      <button type="button" className="find" onClick={onFind}>
        <Icon name="search" />
        <span className="grow text-start">{t('palette.title')}</span>
        <kbd>{isMac() ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      <nav aria-label={t('frame.main')}>
        <div className="grid gap-px">
          <Links pages={pages} />
        </div>
      </nav>
      <div className="side-end">
        <PersonMenu />
      </div>
    </aside>
  );
}

function MoreMenu({ pages }: { pages: typeof MERCHANT_PAGES }): ReactNode {
  const t = useWords();
  const navigate = useNavigate();
  const account = useMembership()?.account ?? '';
  const more = pages.map(({ to, title, icon }) => ({
    label: t(title),
    icon,
    onSelect: () => void navigate({ to, params: { account } }),
  }));
  const own = { label: t('me.title'), icon: 'shield' as const, onSelect: () => void navigate({ to: '/me/security' }) };
  return (
    <Menu className="bottom-more" groups={[{ entries: more }, { entries: [own] }]} side="top" align="end">
      <Icon name="menu" large />
      {t('frame.more')}
    </Menu>
  );
}

function PhoneBars({ onFind }: { onFind: () => void }): ReactNode {
  const t = useWords();
  const pages = usePages();
  const isLong = pages.length > TABS;
  const tabs = pages.slice(0, TABS);
  return (
    <>
      <header className="top">
        <AccountMenu />
        <button type="button" className="tap" aria-label={t('palette.title')} onClick={onFind}>
          <Icon name="search" large />
        </button>
        <PersonMenu compact />
      </header>
      <nav className={`bottom bottom-${tabs.length + 1}`} aria-label={t('frame.short')}>
        <Links pages={tabs} large />
        {isLong ? <MoreMenu pages={pages.slice(TABS)} /> : <MeLink large />}
      </nav>
    </>
  );
}

/** The page, unless the reader has no access to its merchant. */
function Content(): ReactNode {
  const { account } = useParams({ strict: false });
  const present = useMembership();
  const isReached = useReachedMembership() !== undefined;
  if (account === undefined || present === undefined || isReached) return <Outlet />;
  return (
    <Suspense>
      <TwoFactorNeeded name={present.name} />
    </Suspense>
  );
}

/** The frame around every page of a signed-in user. */
export function AppFrame(): ReactNode {
  const t = useWords();
  const [finding, setFinding] = useState(false);
  const [helping, setHelping] = useState(false);
  const present = useMembership();
  useGlobalKeys(() => setHelping(true));
  useEffect(() => {
    if (present) rememberAccount(present.account);
  }, [present]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      setFinding(true);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  useEffect(() => onPaletteWanted(() => setFinding(true)), []);
  const find = () => setFinding(true);
  return (
    <div className="app">
      <a className="b skip" href="#content">
        {t('frame.skip')}
      </a>
      <Sidebar onFind={find} />
      <PhoneBars onFind={find} />
      <main className="sheet" id="content" tabIndex={-1}>
        <StateBar />
        <div className="page">
          <Content />
        </div>
      </main>
      {finding && (
        <Suspense>
          <Palette onClose={() => setFinding(false)} />
        </Suspense>
      )}
      {helping && (
        <Suspense>
          <KeysDialog onClose={() => setHelping(false)} />
        </Suspense>
      )}
    </div>
  );
}
