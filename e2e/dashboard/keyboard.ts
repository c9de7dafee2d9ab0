import { expect } from 'vitest';
import type { Page } from '../../apps/checkout/preview/browser.ts';
import type { Locator } from './person.ts';
import { SOON } from './person.ts';

/** A person who has only a keyboard: nothing is clicked, and no script moves the focus. */

/** Most stops between two places. */
const MOST_STOPS = 80;

const figures = { keyboard_stops: 0, dialogs_returned: 0 };
export const keyboardFigures = () => ({ ...figures });

type Stop = { what: string; isNowhere: boolean; isThere: boolean; isShown: boolean; isInView: boolean };

/** Whether the focus is at a place and visible, by a ring around the element, its row or its box. */
const readStop = (place: Locator): Promise<Stop> =>
  place.evaluateAll((elements) => {
    const focused = document.activeElement ?? document.body;
    const box = focused.closest('tr.is-link, .pick, .palette-q') ?? focused;
    const { top, bottom, left, right, width } = focused.getBoundingClientRect();
    return {
      what: focused.outerHTML.slice(0, 200),
      isNowhere: focused === document.body,
      isThere: elements.some((element) => element === focused),
      isShown: [focused, box].some((element) => {
        const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
        return (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0) || boxShadow !== 'none';
      }),
      isInView: width > 0 && bottom > 0 && right > 0 && top < innerHeight && left < innerWidth,
    };
  });

function expectSeen({ what, isShown, isInView }: Stop): void {
  figures.keyboard_stops += 1;
  expect({ what, isShown, isInView }).toEqual({ what, isShown: true, isInView: true });
}

/** Whether a dialog that is open has the focus already: it takes the focus a moment after it is shown. */
const dialogHasFocus = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const { activeElement, body } = document;
    const dialog = [...document.querySelectorAll('.dialog')].at(-1);
    return dialog === undefined || activeElement === body || dialog.contains(activeElement);
  });

/** Goes with Tab until the focus is at a place, and sees the focus at each stop on the way. */
export async function tabTo(page: Page, place: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await place.first().waitFor();
  await expect.poll(() => dialogHasFocus(page), SOON).toBe(true);
  for (let stops = 0; stops < MOST_STOPS; stops += 1) {
    await page.keyboard.press(key);
    const stop = await readStop(place);
    // Past the last element the focus is at the browser's own bars for one stop.
    if (stop.isNowhere) continue;
    expectSeen(stop);
    if (stop.isThere) return;
  }
  throw new Error(`${String(place)} cannot be reached.`);
}

export async function pressAt(page: Page, place: Locator, key: 'Enter' | 'Space' = 'Enter'): Promise<void> {
  await tabTo(page, place);
  await page.keyboard.press(key);
}

/** Goes to a field and writes into it. */
export async function write(page: Page, label: string, text: string): Promise<void> {
  await tabTo(
    page,
    page
      .locator('input')
      .and(page.getByLabel(label, { exact: true }))
      .last(),
  );
  await page.keyboard.type(text);
}

/** The focus is at a place automatically, and visible. */
export async function expectFocus(place: Locator): Promise<void> {
  await expect.poll(async () => (await readStop(place)).isThere, SOON).toBe(true);
  expectSeen(await readStop(place));
}

/** A dialog that has closed gives the focus back to what opened it. */
export async function expectReturned(opener: Locator): Promise<void> {
  await expectFocus(opener);
  figures.dialogs_returned += 1;
}
