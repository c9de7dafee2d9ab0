import type { JSX } from 'preact';
import { h } from 'preact';
import { icon } from './icons.ts';
import type { Page } from './page.ts';
import { duration } from './text.ts';

/** Above this time left the countdown shows whole minutes: a running clock only makes payers hurry. */
const CALM_ABOVE_SECONDS = 300;
const URGENT_SECONDS = 60;

export function clockText(seconds: number): string {
  const rest = String(seconds % 60).padStart(2, '0');
  return `${String(Math.floor(seconds / 60))}:${rest}`;
}

/** Warning for screen readers when the time left falls from `before` to `now` seconds. */
export function spokenWarning(before: number, now: number): 'announceFive' | 'announceOne' | null {
  if (now === 0) return null;
  if (before > URGENT_SECONDS && now <= URGENT_SECONDS) return 'announceOne';
  return before > CALM_ABOVE_SECONDS && now <= CALM_ABOVE_SECONDS ? 'announceFive' : null;
}

export function Countdown({ page: { words, moment } }: { page: Page }): JSX.Element {
  const left = moment.secondsLeft;
  const running = left <= CALM_ABOVE_SECONDS;
  return h(
    'p',
    { class: running ? 'countdown is-short' : 'countdown', role: 'timer' },
    icon('clock'),
    h('span', null, words.text(left === 0 ? 'timeUp' : 'timeLeft')),
    left > 0 && h('bdi', { class: 'countdown-time' }, running ? clockText(left) : duration(words, left)),
  );
}
