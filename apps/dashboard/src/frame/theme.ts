/** Light, dark or system theme, stored in this browser. */

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const STORED = 'counterfoil.theme';

export function presentTheme(): Theme {
  const stored = localStorage.getItem(STORED);
  return THEMES.find((theme) => theme === stored) ?? 'system';
}

export function applyTheme(): void {
  const theme = presentTheme();
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(STORED, theme);
  applyTheme();
}
