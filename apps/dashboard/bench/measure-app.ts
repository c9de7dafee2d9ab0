import { launch } from 'chrome-launcher';
import lighthouse, { desktopConfig } from 'lighthouse';
import { browserPath, BROWSER_FLAGS, launchBrowser } from '../../checkout/preview/browser.ts';
import type { AppMeasure, measureApp as contract, MeasuredApp } from './measure-contract.ts';

/** What the first pages of the app cost and how they score, measured on a running server in a real browser. */

const LIGHTHOUSE_RUNS = 3;
/** How many characters of each of Lighthouse's findings are printed. */
const MAX_DETAILS = 600;
const CATEGORIES = ['performance', 'accessibility', 'best-practices'] as const;

type FirstPage = { url: string; cookie?: string };

function median(values: number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}

/**
 * Script that had arrived when the page showed its title, as gzip sends it: a chart that loads later is no part of it. And
 * what the policy refused until the page was idle.
 */
async function weigh({ url, cookie }: FirstPage): Promise<{ script: number; reports: number }> {
  const browser = await launchBrowser();
  try {
    const headers = { 'accept-encoding': 'gzip', ...(cookie !== undefined && { cookie }) };
    const context = await browser.newContext({ extraHTTPHeaders: headers });
    const page = await context.newPage();
    const sizes: Promise<number>[] = [];
    let reports = 0;
    page.on('requestfinished', (request) => {
      if (request.resourceType() === 'script')
        sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
    });
    page.on('console', (message) => {
      if (/Content Security Policy/i.test(message.text())) reports += 1;
    });
    await page.goto(url, { waitUntil: 'commit' });
    await page.getByRole('heading', { level: 1 }).waitFor();
    const script = (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0);
    await page.waitForLoadState('networkidle');
    return { script, reports };
  } finally {
    await browser.close();
  }
}

type Scores = { interactiveMs: number; accessibility: number; bestPractices: number };

async function score({ url, cookie }: FirstPage, runs: number): Promise<Scores> {
  const chrome = await launch({ chromePath: browserPath(), chromeFlags: BROWSER_FLAGS, logLevel: 'silent' });
  try {
    const found: Scores[] = [];
    for (let run = 0; run < runs; run += 1) {
      const extraHeaders = cookie === undefined ? {} : { Cookie: cookie };
      const flags = { port: chrome.port, onlyCategories: [...CATEGORIES], logLevel: 'error' as const, extraHeaders };
      const report = (await lighthouse(url, flags, desktopConfig))?.lhr;
      const of = (category: (typeof CATEGORIES)[number]) =>
        Math.round((report?.categories[category]?.score ?? 0) * 100);
      const imperfect = CATEGORIES.slice(1).flatMap((category) =>
        (report?.categories[category]?.auditRefs ?? [])
          .filter(({ id, weight }) => weight > 0 && (report?.audits[id]?.score ?? 1) < 1)
          .map(({ id }) => `${id}: ${JSON.stringify(report?.audits[id]?.details).slice(0, MAX_DETAILS)}`),
      );
      if (imperfect.length > 0) console.log(url, imperfect);
      found.push({
        interactiveMs: report?.audits['interactive']?.numericValue ?? Number.POSITIVE_INFINITY,
        accessibility: of('accessibility'),
        bestPractices: of('best-practices'),
      });
    }
    return {
      interactiveMs: median(found.map(({ interactiveMs }) => interactiveMs)),
      accessibility: Math.min(...found.map(({ accessibility }) => accessibility)),
      bestPractices: Math.min(...found.map(({ bestPractices }) => bestPractices)),
    };
  } finally {
    chrome.kill();
  }
}

export async function measureApp(
  { origin, cookie, visitorPath, memberPath }: MeasuredApp,
  { quick }: { quick: boolean },
): Promise<AppMeasure> {
  const pages: FirstPage[] = [{ url: `${origin}${visitorPath}` }, { url: `${origin}${memberPath}`, cookie }];
  const weights: Awaited<ReturnType<typeof weigh>>[] = [];
  const scores: Scores[] = [];
  for (const page of pages) {
    weights.push(await weigh(page));
    scores.push(await score(page, quick ? 1 : LIGHTHOUSE_RUNS));
  }
  return {
    initial_js_gz: Math.max(...weights.map(({ script }) => script)),
    interactive_ms: Math.round(Math.max(...scores.map(({ interactiveMs }) => interactiveMs))),
    policy_reports: weights.reduce((sum, { reports }) => sum + reports, 0),
    lighthouse: {
      accessibility: Math.min(...scores.map(({ accessibility }) => accessibility)),
      best_practices: Math.min(...scores.map(({ bestPractices }) => bestPractices)),
    },
  };
}

measureApp satisfies typeof contract;
