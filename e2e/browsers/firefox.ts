import puppeteer from 'puppeteer-core';
import type { Engine } from './engine.ts';
import { PHONE } from './engine.ts';

/** Firefox, by WebDriver BiDi: it needs no driver beside it. */
export async function startFirefox(): Promise<Engine> {
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: process.env['COUNTERFOIL_FIREFOX'] ?? '/usr/bin/firefox-esr',
    headless: true,
    // The content sandbox needs user namespaces, which root has not in a container.
    env: { ...process.env, MOZ_DISABLE_CONTENT_SANDBOX: '1' },
  });
  const page = await browser.newPage();
  await page.setViewport(PHONE);
  return {
    name: await browser.version(),
    open: async (url) => void (await page.goto(url)),
    run: (body) => page.evaluate(`(() => { ${body} })()`),
    click: (selector) => page.click(selector),
    picture: () => page.screenshot(),
    close: () => browser.close(),
  };
}
