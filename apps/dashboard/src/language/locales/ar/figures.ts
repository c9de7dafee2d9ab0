import type { words as english } from '../en/figures.ts';

export const words: Readonly<Record<keyof typeof english, string>> = {
  'figures.hours': '{value} س',
  'figures.milliseconds': '{value} م.ث',
  'figures.minutes': '{value} د',
  'figures.seconds': '{value} ث',
};
