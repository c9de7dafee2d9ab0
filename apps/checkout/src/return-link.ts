import type { JSX } from 'preact';
import { h } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Page } from './page.ts';

const RETURN_SECONDS = 5;
const SECOND_MS = 1_000;

/** Back to the shop: after five seconds, once, and only while the customer lets it. */

function wasTakenBack(key: string): boolean {
  try {
    if (sessionStorage.getItem(key)) return true;
    sessionStorage.setItem(key, '1');
    return false;
  } catch {
    return true;
  }
}

export function ReturnLink({ page, automatic }: { page: Page; automatic: boolean }): JSX.Element | null {
  const { view, words } = page;
  const url = view.returnUrl;
  const safe = url !== null && /^https?:\/\//i.test(url);
  const [left, setLeft] = useState<number | null>(null);
  useEffect(() => {
    // Whoever comes back with the browser's back button wants to read the receipt.
    if (automatic && safe && !wasTakenBack(`returned ${view.transId}`)) setLeft(RETURN_SECONDS);
  }, []);
  useEffect(() => {
    if (left === null) return;
    if (left === 0) return location.assign(url ?? '');
    const timer = setTimeout(() => setLeft(left - 1), SECOND_MS);
    return () => clearTimeout(timer);
  }, [left]);
  if (!safe) return null;
  return h(
    'div',
    { class: 'return' },
    h(
      'a',
      { class: 'button button-main', href: url, rel: 'noreferrer' },
      h('span', { class: 'clip' }, words.say('returnToShop', { store: view.store.name })),
    ),
    left !== null &&
      h(
        'p',
        { class: 'returning' },
        h('span', null, words.say('returningIn', { count: left })),
        h('button', { type: 'button', class: 'link', onClick: () => setLeft(null) }, words.text('stay')),
      ),
  );
}
