import type { Alarm } from '../audit/alarm.ts';
import { raiseAlarms } from '../audit/raise-alarms.ts';
import type { Tx } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { isExchange } from '../networks/exchange-networks.ts';
import type { Networks } from '../networks/networks.ts';
import { requireNetwork } from '../networks/networks.ts';
import { endFreeze, freezeChain, isFrozen } from '../chains/chain-sql.ts';
import type { ApplyTransfers } from '../chains/follower.ts';
import {
  endStopsOfRestored,
  findRevertedCompletions,
  forgetRestored,
  lacksPayment,
  rememberReverted,
} from './change-invoice-sql.ts';
import { LOST_PAYMENT, stopAccount } from '../wallets/exchange-account-sql.ts';
import { changeInvoices } from './change-invoices.ts';
import { readInvoiceIds } from './match-sql.ts';
import { matchTransfers } from './match-transfers.ts';

/** No invoice expires here: expiry reads coverage first, in a loop of its own. */
const NOTHING_COVERED: ReadonlySet<bigint> = new Set();

/**
 * Guards completed invoices: when the payment of one is gone, the network freezes and an alarm is raised. When the last
 * such payment is back, the freeze ends by itself.
 */
async function guardCompletions(tx: Tx, at: Date, network: string, transferIds: readonly bigint[]): Promise<void> {
  const reverted = await findRevertedCompletions(tx, transferIds);
  if (reverted.length > 0) {
    const ids = reverted.map(({ id }) => id);
    await rememberReverted(tx, network, ids, at);
    await freezeChain(tx, network, at, `The payment of ${reverted[0]?.transId} is no longer in the chain.`);
    await raiseAlarms(
      tx,
      at,
      reverted.map(({ transId, txId }) => ({ kind: 'payment-reverted', subject: transId, details: { network, txId } })),
    );
  } else if (await isFrozen(tx, network)) {
    const restored = await forgetRestored(tx, network);
    if (restored > 0 && !(await lacksPayment(tx, network))) await endFreeze(tx, network);
  }
}

/**
 * The same at an exchange account: only that account is stopped, whatever happens at others of its platform. It goes on by
 * itself when the platform shows every lost payment again.
 */
async function guardExchangeAccounts(tx: Tx, at: Date, network: string, transferIds: readonly bigint[]): Promise<void> {
  const reverted = await findRevertedCompletions(tx, transferIds);
  if (reverted.length > 0) {
    await rememberReverted(
      tx,
      network,
      reverted.map(({ id }) => id),
      at,
    );
    for (const { transId, txId, account } of reverted) {
      const stop = { reason: `payment-gone: ${transId}`, by: LOST_PAYMENT };
      const alarms: Alarm[] = [{ kind: 'payment-reverted', subject: transId, details: { network, txId } }];
      if (await stopAccount(tx, { network, account }, at, stop))
        alarms.push({ kind: 'exchange-account-stopped', subject: `${network} ${account}`, details: { transId, txId } });
      await raiseAlarms(tx, at, alarms);
    }
  } else if ((await forgetRestored(tx, network)) > 0) await endStopsOfRestored(tx, network);
}

type ApplyContext = { clock: Clock; networks: Networks };

/**
 * Creates the function that applies transfers which are new, moved, gone or proven, and decides invoices that lost one:
 * matching, status, ledger, events.
 */
export function createApplyTransfers({ clock, networks }: ApplyContext): ApplyTransfers {
  return async (tx, network, transferIds, invoiceIds = []) => {
    if (transferIds.length + invoiceIds.length === 0) return;
    const at = new Date(clock.nowMs());
    const known = requireNetwork(networks, network);
    await matchTransfers(tx, known, transferIds);
    const guard = isExchange(known) ? guardExchangeAccounts : guardCompletions;
    await guard(tx, at, network, transferIds);
    const touched = new Set([...(await readInvoiceIds(tx, transferIds)), ...invoiceIds]);
    await changeInvoices(tx, at, [...touched], NOTHING_COVERED);
  };
}
