import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { audit } from '../audit.ts';
import { press, pressIn } from '../person.ts';
import type { Journey } from './journey.ts';

/** A file that is made while the page is open, downloaded, and has the displayed hash. */
export async function exportInvoices({ visit: { page } }: Journey, transIds: readonly string[]): Promise<number> {
  await page.getByRole('link', { name: 'Exports' }).first().click();
  await page.getByText('No exports yet').waitFor();
  await audit(page, 'no exports');
  await press(page, 'New export');
  await page.getByRole('radio', { name: /^Invoices/ }).check();
  await page.getByLabel('Period').selectOption('all');
  await audit(page, 'new export');
  await pressIn(page, 'Create export');
  await page.getByText('Ready', { exact: true }).waitFor();
  await audit(page, 'exports');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: /^Download/ }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^counterfoil-invoices-EXP-\w+\.csv$/);
  const file = await readFile(await download.path(), 'utf8');
  for (const transId of transIds) expect(file).toContain(transId);
  await press(page, 'Verify file');
  await page.getByText(/node verify-export\.mjs .+ --sha256 [0-9a-f]{64}/).waitFor();
  await audit(page, 'check a file');
  await pressIn(page, 'Done');
  return file.trim().split('\n').length - 1;
}
