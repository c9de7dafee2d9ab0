import { expect } from 'vitest';
import { audit } from '../audit.ts';
import { expectTitle, fill, press, pressIn, readClipboard, SOON } from '../person.ts';
import type { Journey } from './journey.ts';
import { STORE } from './journey.ts';

const PER_SECOND = 20;
const HTTP_OK = 200;

const HTTP_UNAUTHORIZED = 401;

type Calls = { sent: number; failed: number };

async function statusOf(url: string, apiKey: string): Promise<number | undefined> {
  const response = await fetch(url, { headers: { 'x-api-key': apiKey } }).catch(() => undefined);
  await response?.arrayBuffer();
  return response?.status;
}

/** The merchant's server looks invoices up all the time, in turns with each key that it knows. */
function keepCalling(url: string, keys: readonly string[]): { counted: Calls; stop: () => Promise<void> } {
  const counted: Calls = { sent: 0, failed: 0 };
  const answers: Promise<void>[] = [];
  const ask = async (apiKey: string) => {
    const status = await statusOf(url, apiKey);
    counted.sent += 1;
    if (status !== HTTP_OK) counted.failed += 1;
  };
  const timer = setInterval(() => answers.push(ask(keys[answers.length % keys.length] ?? '')), 1_000 / PER_SECOND);
  const stop = async () => {
    clearInterval(timer);
    await Promise.all(answers);
  };
  return { counted, stop };
}

/** A new key beside the old one, while calls with both continue: none fails. Returns the new key too. */
export async function renewKey(journey: Journey, key: string, transId: string): Promise<Calls & { second: string }> {
  const { site, visit } = journey;
  const { page } = visit;
  await page.getByRole('link', { name: 'Stores' }).first().click();
  await expectTitle(page, 'Stores');
  const keys = [key];
  const calls = keepCalling(`${site.api.url}/invoice/${transId}`, keys);
  const calledMore = async () => {
    const until = calls.counted.sent + PER_SECOND;
    await expect.poll(() => calls.counted.sent, SOON).toBeGreaterThan(until);
  };
  await calledMore();
  const opener = page.getByRole('button', { name: `Rotate key of ${STORE}` });
  await opener.click();
  await page.getByText(/\d+ calls? today and yesterday|No calls/).waitFor();
  await audit(page, 'regenerate');
  await page.keyboard.press('Escape');
  await expect.poll(() => opener.evaluate((element) => element === document.activeElement), SOON).toBe(true);
  await opener.click();
  await pressIn(page, 'Rotate key');
  await page.getByText(/Both keys work until/).waitFor();
  await audit(page, 'the new key');
  await pressIn(page, 'Copy new key');
  const second = await readClipboard(page);
  expect(second).toMatch(/^cf_live_\w{20,}$/);
  expect(second).not.toBe(key);
  expect(await page.content()).not.toContain(second);
  keys.push(second);
  await calledMore();
  await pressIn(page, 'Done');
  await page.getByText(/Old .+ expires in 2[34] h/).waitFor();
  await calledMore();
  await calls.stop();
  return { ...calls.counted, second };
}

type Keys = { store: string; transId: string; old: string; current: string };

/**
 * An old key ends early, and a key in use ends immediately only after typing the store's name. The API then refuses
 * each, and accepts the remaining one.
 */
export async function endKeys({ site, visit: { page }, at }: Journey, keys: Keys): Promise<void> {
  const { store, transId, old, current } = keys;
  const url = `${site.api.url}/invoice/${transId}`;
  const answers = async (...asked: string[]) => Promise.all(asked.map((key) => statusOf(url, key)));
  expect(await answers(old, current)).toEqual([HTTP_OK, HTTP_OK]);
  await press(page, `Revoke now: Revoke the old key of ${STORE} now`);
  await audit(page, 'end the old key');
  await pressIn(page, 'Revoke old key');
  await page.getByText(/Old .+ expires in/).waitFor({ state: 'detached' });
  expect(await answers(old, current)).toEqual([HTTP_UNAUTHORIZED, HTTP_OK]);
  await page.goto(at(`/stores/${store}/keys`));
  await page.getByText(/^Inactive since /).waitFor();
  await audit(page, 'keys');
  await press(page, 'Rotate key');
  await page.getByRole('radio', { name: /^Now/ }).check();
  await pressIn(page, 'Rotate key');
  await page.getByText('Enter the store name exactly as shown above.').waitFor();
  await audit(page, 'regenerate now');
  expect(await answers(current)).toEqual([HTTP_OK]);
  await fill(page, `Type ${STORE} to confirm`, STORE);
  await pressIn(page, 'Rotate key');
  await page.getByText(/The old key .+ no longer works/).waitFor();
  await pressIn(page, 'Copy new key');
  const third = await readClipboard(page);
  expect(await answers(old, current, third)).toEqual([HTTP_UNAUTHORIZED, HTTP_UNAUTHORIZED, HTTP_OK]);
  await pressIn(page, 'Done');
}
