/** Opens the palette from anywhere. */

const WANTED = 'counterfoil:find';

export const openPalette = (): boolean => dispatchEvent(new Event(WANTED));

export function onPaletteWanted(open: () => void): () => void {
  addEventListener(WANTED, open);
  return () => removeEventListener(WANTED, open);
}
