import { useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import { openPalette } from './find.ts';
import { useReachedMembership } from './membership.ts';
import { isTyping, keysAreOn } from './single-keys.ts';

/** Pages by the letter after `g`. */
const GO_KEYS = {
  h: '/m/$account',
  i: '/m/$account/invoices',
  u: '/m/$account/unmatched',
  s: '/m/$account/stores',
  w: '/m/$account/webhooks',
  b: '/m/$account/balance',
} as const;

/** How long `g` waits for its letter. */
const GO_MS = 1_500;

/** Shortcuts of every page: `/` searches, `?` shows all shortcuts, `g` and a letter go to a page. */
export function useGlobalKeys(onHelp: () => void): void {
  const navigate = useNavigate();
  const account = useReachedMembership()?.account;
  const onKey = useEffectEvent((event: KeyboardEvent, wentAt: number) => {
    if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target) || !keysAreOn()) return false;
    if (event.defaultPrevented || document.querySelector('.dialog, .palette') !== null) return false;
    const page = event.timeStamp - wentAt < GO_MS ? GO_KEYS[event.key as keyof typeof GO_KEYS] : undefined;
    if (page !== undefined && account !== undefined) void navigate({ to: page, params: { account } });
    else if (event.key === '/') openPalette();
    else if (event.key === '?') onHelp();
    else return event.key === 'g';
    event.preventDefault();
    return false;
  });
  useEffect(() => {
    let wentAt = Number.NEGATIVE_INFINITY;
    const listener = (event: KeyboardEvent) => {
      wentAt = onKey(event, wentAt) ? event.timeStamp : Number.NEGATIVE_INFINITY;
    };
    addEventListener('keydown', listener);
    return () => removeEventListener('keydown', listener);
  }, []);
}
