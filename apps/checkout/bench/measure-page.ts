import { launch } from 'chrome-launcher';
import lighthouse from 'lighthouse';
import type { measurePage as contract, PageMeasure } from './measure-contract.ts';
import { browserPath, BROWSER_FLAGS, findViolations, launchBrowser } from '../preview/browser.ts';

/** What the page costs and how it scores, measured on a running server in a real browser. */

const LIGHTHOUSE_RUNS = 5;
const CATEGORIES = ['performance', 'accessibility', 'best-practices'] as const;

function median(values: number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}

/** Sizes as gzip would send them, whatever the server and this browser agree on. */
async function weigh(url: string): Promise<Pick<PageMeasure, 'js_gz' | 'page_gz' | 'third_party' | 'axe_violations'>> {
  const browser = await launchBrowser();
  try {
    const context = await browser.newContext({ extraHTTPHeaders: { 'accept-encoding': 'gzip' } });
    const page = await context.newPage();
    const { origin } = new URL(url);
    const sizes: Promise<{ script: boolean; bytes: number }>[] = [];
    let thirdParty = 0;
    page.on('request', (request) => {
      const foreign = /^https?:/.test(request.url()) && new URL(request.url()).origin !== origin;
      if (foreign) thirdParty += 1;
    });
    page.on('requestfinished', (request) => {
      if (!['document', 'script', 'stylesheet'].includes(request.resourceType())) return;
      const script = request.resourceType() === 'script';
      sizes.push(request.sizes().then(({ responseBodySize }) => ({ script, bytes: responseBodySize })));
    });
    await page.goto(url, { waitUntil: 'load' });
    const violations = await findViolations(page);
    const measured = await Promise.all(sizes);
    const sum = (part: typeof measured) => part.reduce((total, { bytes }) => total + bytes, 0);
    return {
      js_gz: sum(measured.filter(({ script }) => script)),
      page_gz: sum(measured),
      third_party: thirdParty,
      axe_violations: violations.length,
    };
  } finally {
    await browser.close();
  }
}

/** Lighthouse as on a mid-range phone: its own default. */
async function score(url: string, runs: number): Promise<PageMeasure['lighthouse']> {
  const chrome = await launch({ chromePath: browserPath(), chromeFlags: BROWSER_FLAGS, logLevel: 'silent' });
  try {
    const scores: Record<string, number[]> = {};
    for (let run = 0; run < runs; run += 1) {
      const flags = { port: chrome.port, onlyCategories: [...CATEGORIES], logLevel: 'error' as const };
      const result = await lighthouse(url, flags);
      for (const category of CATEGORIES) {
        const value = Math.round((result?.lhr.categories[category]?.score ?? 0) * 100);
        (scores[category] ??= []).push(value);
      }
    }
    const of = (category: (typeof CATEGORIES)[number]) => median(scores[category] ?? []);
    return { performance: of('performance'), accessibility: of('accessibility'), best_practices: of('best-practices') };
  } finally {
    chrome.kill();
  }
}

export async function measurePage(url: string, { quick }: { quick: boolean }): Promise<PageMeasure> {
  const weight = await weigh(url);
  return { ...weight, lighthouse: await score(url, quick ? 1 : LIGHTHOUSE_RUNS) };
}

measurePage satisfies typeof contract;
