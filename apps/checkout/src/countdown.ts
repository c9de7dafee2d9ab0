import type { JSX } from 'preact';
import { h } from 'preact';
import { icon } from './icons.ts';
import type { Page } from './page.ts';
import type { Words } from './text.ts';

/** Above this the countdown shows whole minutes: a running clock only makes payers hurry. */
const CALM_ABOVE_SECONDS = 300;
const URGENT_SECONDS = 60;
const MINUTE = 60;
const HOUR = 3_600;

export function clockText(seconds: number): string {
  const rest = String(seconds % 60).padStart(2, '0');
  return `${String(Math.floor(seconds / 60))}:${rest}`;
}

/** The screen reader warning when the time left falls from `before` to `now` seconds. */
export function spokenWarning(before: number, now: number): 'announceFive' | 'announceOne' | null {
  if (now === 0) return null;
  if (before > URGENT_SECONDS && now <= URGENT_SECONDS) return 'announceOne';
  return before > CALM_ABOVE_SECONDS && now <= CALM_ABOVE_SECONDS ? 'announceFive' : null;
}

/** The time left: a clock towards the end, otherwise whole minutes or hours. */
function leftText(words: Words, seconds: number): string {
  if (seconds <= CALM_ABOVE_SECONDS) return clockText(seconds);
  if (seconds < 2 * HOUR) return words.text('shortMinutes', { count: Math.round(seconds / MINUTE) });
  return words.text('shortHours', { count: Math.round(seconds / HOUR) });
}

export function Countdown({ page: { words, moment } }: { page: Page }): JSX.Element {
  const left = moment.secondsLeft;
  return h(
    'p',
    { class: left <= CALM_ABOVE_SECONDS ? 'countdown is-short' : 'countdown', role: 'timer' },
    icon('clock'),
    h('span', { class: left === 0 ? '' : 'hidden' }, words.text(left === 0 ? 'timeUp' : 'timeLeft')),
    left > 0 && h('bdi', { class: 'countdown-time' }, leftText(words, left)),
  );
}
