import type { Page } from '../../../apps/checkout/preview/browser.ts';
import { pressAt, tabTo, write } from '../keyboard.ts';
import type { Locator } from '../person.ts';
import { fill } from '../person.ts';

/** How a person works: with the mouse, or with the keyboard alone. */
export type Hands = {
  press: (place: Locator) => Promise<void>;
  type: (label: string, text: string) => Promise<void>;
  /** Chooses one of several radio buttons. */
  choose: (name: string | RegExp) => Promise<void>;
  tick: (label: string) => Promise<void>;
  /** Chooses an option of a list. */
  select: (label: string, option: string) => Promise<void>;
};

const MOST_CHOICES = 40;

export const mouse = (page: Page): Hands => ({
  press: (place) => place.click(),
  type: (label, text) => fill(page, label, text),
  choose: (name) => page.getByRole('radio', { name }).click(),
  tick: (label) => page.getByLabel(label).click(),
  select: async (label, option) => {
    const list = page.getByRole('combobox', { name: label });
    await list.locator('option', { hasText: option }).waitFor({ state: 'attached' });
    if ((await list.locator('option:checked').textContent()) === option) return;
    await list.click();
    await list.selectOption({ label: option });
    await page.keyboard.press('Escape');
  },
});

async function arrowTo(page: Page, isThere: () => Promise<boolean>): Promise<void> {
  for (let presses = 0; presses < MOST_CHOICES && !(await isThere()); presses += 1)
    await page.keyboard.press('ArrowDown');
}

export const keyboard = (page: Page): Hands => ({
  press: (place) => pressAt(page, place),
  type: (label, text) => write(page, label, text),
  choose: async (name) => {
    const wanted = page.getByRole('radio', { name });
    await tabTo(page, page.getByRole('radio'));
    if (!(await wanted.isChecked())) await page.keyboard.press('Space');
    await arrowTo(page, () => wanted.isChecked());
  },
  tick: async (label) => {
    await pressAt(page, page.getByLabel(label), 'Space');
  },
  select: async (label, option) => {
    const list = page.getByRole('combobox', { name: label });
    await tabTo(page, list);
    await arrowTo(page, () =>
      list.evaluate((one, text) => one instanceof HTMLSelectElement && one.selectedOptions[0]?.label === text, option),
    );
  },
});
