export const words = {
  'figures.hours': '{value} h',
  'figures.milliseconds': '{value} ms',
  'figures.minutes': '{value} min',
  'figures.seconds': '{value} s',
} as const;
