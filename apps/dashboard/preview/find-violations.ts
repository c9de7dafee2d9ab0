import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

/** Asks axe about a page; the library is put into the page once, which is much faster than for each question. */

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Axe = {
  run(where: unknown, options: unknown): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
};

/** Accessibility violations of a page in its present state, one line each; of some rules only where they are named. */
export async function findViolations(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(SOURCE);
  return page.evaluate(async (only) => {
    const { axe } = globalThis as unknown as { axe: Axe };
    const runOnly = only && { type: 'rule', values: only };
    const { violations } = await axe.run(document, { resultTypes: ['violations'], ...(runOnly && { runOnly }) });
    return violations.map(
      ({ id, nodes }) =>
        `${id} at ${nodes
          .map(({ html }) => html)
          .join(' | ')
          .slice(0, 400)}`,
    );
  }, rules);
}
