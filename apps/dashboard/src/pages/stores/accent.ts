/** Brand colours as the checkout uses them. */

const LINEAR_LIMIT = 0.040_45;
const WEIGHTS = [0.2126, 0.7152, 0.0722];
const FLARE = 0.05;

export const isColour = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text);

function luminance(colour: string): number {
  return WEIGHTS.reduce((sum, weight, channel) => {
    const start = 1 + channel * 2;
    const value = Number.parseInt(colour.slice(start, start + 2), 16) / 255;
    return sum + weight * (value <= LINEAR_LIMIT ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  }, 0);
}

/** Black or white, whichever is more readable; same choice as the checkout. */
export function textOn(colour: string): string {
  const light = luminance(colour);
  const onWhite = (1 + FLARE) / (light + FLARE);
  const onBlack = (light + FLARE) / FLARE;
  return onWhite >= onBlack ? '#ffffff' : '#000000';
}
