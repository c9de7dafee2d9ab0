import type { words as english } from '../en/figures.ts';

export const words: Readonly<Record<keyof typeof english, string>> = {
  'figures.hours': '{value} 小时',
  'figures.milliseconds': '{value} 毫秒',
  'figures.minutes': '{value} 分钟',
  'figures.seconds': '{value} 秒',
};
