/** Whether single letters are shortcuts. Users of voice control can disable them. */

const STORED = 'counterfoil.keys';
const OFF = 'off';

export const keysAreOn = (): boolean => localStorage.getItem(STORED) !== OFF;

export function switchKeys(on: boolean): void {
  if (on) localStorage.removeItem(STORED);
  else localStorage.setItem(STORED, OFF);
}

export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, select, textarea, [contenteditable]') !== null;
