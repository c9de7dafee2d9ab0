import type { Page } from 'playwright-core';

/** A picture of a page in some state. */

/**
 * Whose browser it is: a member by role, the owner of a new merchant, a member without the two-factor that their
 * merchant requires, the owner of that one, or a visitor.
 */
export type Who = 'owner' | 'admin' | 'developer' | 'viewer' | 'newcomer' | 'unready' | 'strict' | 'nobody';

type Language = 'en' | 'ar';

type Size = 'desk' | 'phone';
type Theme = 'light' | 'dark';
export type View = `${Size}-${Theme}`;

export type Shot = {
  name: string;
  path: string;
  /** The owner's, unless it says otherwise. */
  who?: Who;
  language?: Language;
  /** What the server does from the beginning; the page is left alone without it. */
  weather?: 'silent' | 'failing';
  /** Runs before the picture is taken. */
  before?: (page: Page) => Promise<void>;
  views?: readonly View[];
  /** Whether the visible part is enough, because the rest is as always. */
  cut?: boolean;
};

/** A page as people mostly see it. */
export const ALL_VIEWS: readonly View[] = ['desk-light', 'desk-dark', 'phone-light', 'phone-dark'];
/** Dialogs and rarer states: both sizes, and both themes between them. */
export const TWO_VIEWS: readonly View[] = ['desk-light', 'phone-dark'];
export const BOTH_SIZES: readonly View[] = ['desk-light', 'phone-light'];

export const press =
  (name: string | RegExp, exact = false) =>
  (page: Page): Promise<void> =>
    page.getByRole('button', { name, exact }).first().click();
