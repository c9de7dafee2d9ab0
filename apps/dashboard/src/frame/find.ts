/** Opens the palette from wherever somebody wants to look for something. */

const WANTED = 'counterfoil:find';

export const openPalette = (): boolean => dispatchEvent(new Event(WANTED));

export function onPaletteWanted(open: () => void): () => void {
  addEventListener(WANTED, open);
  return () => removeEventListener(WANTED, open);
}
