import { payToken } from '../../../apps/server/rig/chains/evm/payment.ts';
import { findNetwork } from '../../../apps/server/rig/chains/networks.ts';
import { findToken } from '../../../apps/server/src/networks/network.ts';
import { audit } from '../audit.ts';
import { expectTitle, fill, press, pressIn } from '../person.ts';
import type { Journey } from './journey.ts';
import { BSC } from './open-store.ts';

const DUST = 5n * 10n ** 17n;

/** A stranger's money reaches the wallet without an invoice. */
export async function receiveDust({ site }: Journey): Promise<void> {
  const network = findNetwork('BSC');
  const contract = network && findToken(network, 'USDT')?.contract;
  await payToken(site.chain, { token: contract as `0x${string}`, to: BSC, units: DUST });
}

/** A stranger's money is dismissed, and restored. */
export async function putAside({ visit: { page }, at }: Journey, transId: string): Promise<void> {
  await page.goto(at('/unmatched'));
  await page.getByText('No unpaid invoice of the last seven days is close to this amount.').waitFor();
  await page.getByRole('heading', { name: /0\.50 USDT\W+on BNB Smart Chain/ }).waitFor();
  await press(page, 'Find another invoice');
  await fill(page, 'Invoice code or order', transId);
  await pressIn(page, 'Find');
  await page.getByRole('dialog').getByText('Completed').waitFor();
  await audit(page, 'find another invoice');
  await page.keyboard.press('Escape');
  await press(page, 'Not a customer payment');
  await pressIn(page, 'Dismiss');
  await page.getByText('Required.').waitFor();
  await fill(page, 'Note', 'Dust from a stranger');
  await audit(page, 'not ours');
  await pressIn(page, 'Dismiss');
  await page.getByText('No unmatched money').waitFor();
  await audit(page, 'nothing unmatched');
  await page.getByRole('link', { name: 'Dismissed' }).click();
  await page.getByText('Dust from a stranger').waitFor();
  await audit(page, 'put aside');
  await press(page, 'Restore');
  await page.getByText('No dismissed money').waitFor();
}

/** The audit log has the manual actions, each with its details. */
export async function readAuditLog({ visit: { page } }: Journey): Promise<void> {
  await page.getByRole('link', { name: 'Audit log' }).first().click();
  await expectTitle(page, 'Audit log');
  await page.getByText('Rotated the signing secret').waitFor();
  await page.getByText('Money was attached to an invoice').waitFor();
  await page.getByRole('button', { name: /^Details of: Dismissed unmatched money/ }).click();
  await page.getByText('Dust from a stranger').waitFor();
  await audit(page, 'audit log');
}
