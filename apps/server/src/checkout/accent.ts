/** Text colour on an accent: black or white, by contrast. One always reaches WCAG's 4.5:1. */

const LINEAR_LIMIT = 0.040_45;
const CHANNELS = [
  { start: 1, weight: 0.2126 },
  { start: 3, weight: 0.7152 },
  { start: 5, weight: 0.0722 },
];
const FLARE = 0.05;

function luminance(colour: string): number {
  return CHANNELS.reduce((sum, { start, weight }) => {
    const value = Number.parseInt(colour.slice(start, start + 2), 16) / 255;
    return sum + weight * (value <= LINEAR_LIMIT ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  }, 0);
}

export function contrast(left: string, right: string): number {
  const [dark = 0, light = 0] = [luminance(left), luminance(right)].toSorted((one, other) => one - other);
  return (light + FLARE) / (dark + FLARE);
}

export function onAccent(accent: string): '#000000' | '#ffffff' {
  return contrast(accent, '#ffffff') >= contrast(accent, '#000000') ? '#ffffff' : '#000000';
}
