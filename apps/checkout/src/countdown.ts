import type { JSX } from 'preact';
import { h } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { icon } from './icons.ts';
import type { Page } from './page.ts';
import { duration } from './text.ts';

const SECOND_MS = 1_000;
/** Before this much is left, minutes are enough: a running clock only makes people hurry. */
const CALM_ABOVE_SECONDS = 300;
const URGENT_SECONDS = 60;

export function clockText(seconds: number): string {
  const rest = String(seconds % 60).padStart(2, '0');
  return `${String(Math.floor(seconds / 60))}:${rest}`;
}

/** What to say aloud when the time left falls from `before` to `now`. */
export function spokenWarning(before: number, now: number): 'announceFive' | 'announceOne' | null {
  if (before > URGENT_SECONDS && now <= URGENT_SECONDS) return 'announceOne';
  return before > CALM_ABOVE_SECONDS && now <= CALM_ABOVE_SECONDS ? 'announceFive' : null;
}

export function Countdown({ page }: { page: Page }): JSX.Element {
  const { view, words } = page;
  const [nowMs, setNowMs] = useState(view.nowMs);
  const left = Math.max(0, Math.ceil((view.expiresAtMs - nowMs) / SECOND_MS));
  const before = useRef(left);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(page.nowMs()), SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => {
    const warning = spokenWarning(before.current, left);
    if (warning && left > 0) page.announce(words.text(warning));
    if (left === 0 && before.current > 0) page.refresh();
    before.current = left;
  }, [left]);
  const running = left <= CALM_ABOVE_SECONDS;
  return h(
    'p',
    { class: running ? 'countdown is-short' : 'countdown', role: 'timer' },
    icon('clock'),
    h('span', null, left === 0 ? words.text('timeUp') : words.text('timeLeft')),
    left > 0 && h('bdi', { class: 'countdown-time' }, running ? clockText(left) : duration(words, left)),
  );
}
