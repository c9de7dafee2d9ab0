import type { Page } from 'playwright-core';

/** States of the server while a page is open: no answer, failing, or unreachable. */

const API = '**/api/dashboard/**';
/** Who is signed in: the frame needs it, and shows no page without it. */
const OWN = /\/api\/dashboard\/me$/;
/** Longer than data counts as fresh, so that a page reloads it on return. */
const AWAY_MS = 31_000;
const REQUEST_ID = 'aB3dE5fG7hJ9';

/** The server answers nothing, so that the page waits. */
export async function keepSilent(page: Page): Promise<void> {
  await page.route(API, async (route) => {
    if (OWN.test(route.request().url())) await route.continue();
  });
}

/** The server fails to answer, and says which request it was. */
export async function failAlways(page: Page): Promise<void> {
  await page.route(API, (route) =>
    OWN.test(route.request().url())
      ? route.continue()
      : route.fulfill({
          status: 500,
          json: { status: 'error', error_code: 'INTERNAL_ERROR', request_id: REQUEST_ID },
        }),
  );
}

/** The user returns to the page after a while, and it reloads everything. */
async function comeBack(page: Page): Promise<void> {
  await page.clock.fastForward(AWAY_MS);
  await page.evaluate(() => dispatchEvent(new Event('visibilitychange')));
  await page.locator('.mode-bar.is-calm').waitFor();
}

/** Something between the page and the server has lost the server. The clock must be ours from the beginning. */
export async function loseServer(page: Page): Promise<void> {
  await page.route(API, (route) => route.fulfill({ status: 502, body: 'Bad Gateway' }));
  await comeBack(page);
}

/** The whole line is gone. */
export async function goOffline(page: Page): Promise<void> {
  await page.context().setOffline(true);
  await comeBack(page);
}
