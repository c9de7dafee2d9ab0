/** Whether single letters are commands. Somebody who speaks to the computer, or brushes keys, can switch them off. */

const STORED = 'counterfoil.keys';
const OFF = 'off';

export const keysAreOn = (): boolean => localStorage.getItem(STORED) !== OFF;

export function switchKeys(on: boolean): void {
  if (on) localStorage.removeItem(STORED);
  else localStorage.setItem(STORED, OFF);
}
