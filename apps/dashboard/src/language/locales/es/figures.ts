import type { words as english } from '../en/figures.ts';

export const words: Readonly<Record<keyof typeof english, string>> = {
  'figures.hours': '{value} h',
  'figures.milliseconds': '{value} ms',
  'figures.minutes': '{value} min',
  'figures.seconds': '{value} s',
};
