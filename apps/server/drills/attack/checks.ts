import type { Site } from './site.ts';
import { postAs, requireInvoice } from './site.ts';

/**
 * Checks of invented transactions ("I have paid"): measures what one check costs the operator's nodes, per quoted
 * network.
 */

const HASH_DIGITS = 64;
const HEXADECIMAL = 16;

/**
 * Checks invented transactions of one invoice and counts the calls to nodes. `most`: calls of the most expensive check,
 * divided by the networks that the invoice was quoted on. `made`: how many checks reached a node.
 */
export async function countCallsPerCheck(site: Site, checks: number): Promise<{ most: number; made: number }> {
  const transId = await requireInvoice(site);
  const networks = ['BSC', 'ETH'];
  for (const network of networks)
    await postAs(site, '203.0.113.1', `/bill/${transId}/select`, { network, token: 'USDT' });
  let [most, made] = [0, 0];
  for (let check = 1; check <= checks; check += 1) {
    const before = site.nodes.reduce((sum, node) => sum + node.total(), 0);
    const tx = `0x${check.toString(HEXADECIMAL).padStart(HASH_DIGITS, '0')}`;
    const answer = await postAs(site, `203.0.113.${1 + check}`, `/bill/${transId}/check`, { tx });
    const calls = site.nodes.reduce((sum, node) => sum + node.total(), 0) - before;
    if (answer.ok && calls > 0) made += 1;
    most = Math.max(most, calls / networks.length);
  }
  return { most, made };
}
