import { isAllowed } from '@counterfoil/core/permission.ts';
import { formatMicroUsd, sumUsd } from '@counterfoil/core/usd.ts';
import type { Context } from '../db/context.ts';
import type { Database } from '../db/database.ts';
import type { ListedDay } from '../days/days-sql.ts';
import { listStoreDays } from '../days/days-sql.ts';
import type { Person } from '../lib/actor.ts';
import { requireMember } from '../people/require-member.ts';
import { storeForMember } from '../stores/store-for-member.ts';

/** A year. */
export const MAX_DAYS = 366;
/** Most combinations of network and token per store and day. */
const MAX_METHODS = 100;

type DaysContext = Context & { views: Database };
type DaysInput = { merchantCode: string; merchantId: string; from: string; to: string };

/** Fees are null without permission. */
type MethodOfDay = {
  network: string;
  token: string;
  completed: number;
  late: number;
  volumeUsd: string;
  feeUsd: string | null;
};

type Totals = {
  created: number;
  completed: number;
  expired: number;
  cancelled: number;
  late: number;
  volumeUsd: string;
  feeUsd: string | null;
};

export type DayOfStore = Totals & { day: string; methods: MethodOfDay[] };

function totalsOf(rows: readonly ListedDay[], seesFees: boolean): Totals {
  const sum = (pick: (row: ListedDay) => number) => rows.reduce((total, row) => total + pick(row), 0);
  return {
    created: sum((row) => row.created),
    completed: sum((row) => row.completed),
    expired: sum((row) => row.expired),
    cancelled: sum((row) => row.cancelled),
    late: sum((row) => row.late),
    volumeUsd: sumUsd(rows.map((row) => row.volumeUsd)),
    feeUsd: seesFees ? formatMicroUsd(rows.reduce((total, row) => total + row.feeMicroUsd, 0n)) : null,
  };
}

/** Groups rows by day, with their methods. */
export function groupDays(rows: readonly ListedDay[], seesFees: boolean): DayOfStore[] {
  return [...Map.groupBy(rows, ({ day }) => day)].map(([day, ofDay]) => {
    const paid = ofDay.filter(({ completed }) => completed > 0);
    const methods = paid.map((row) => ({
      network: row.network,
      token: row.token,
      completed: row.completed,
      late: row.late,
      volumeUsd: sumUsd([row.volumeUsd]),
      feeUsd: seesFees ? formatMicroUsd(row.feeMicroUsd) : null,
    }));
    return Object.assign(totalsOf(ofDay, seesFees), { day, methods });
  });
}

/** A store's figures by day, newest first, with totals; days without figures are left out. */
export async function listDays(
  context: DaysContext,
  actor: Person,
  input: DaysInput,
): Promise<{ days: DayOfStore[]; totals: Totals }> {
  const { merchantCode, merchantId, from, to } = input;
  const permission = 'invoice.see';
  const store = await storeForMember(context, actor, { merchantCode, merchantId, permission });
  const { role } = await requireMember(context, actor, { merchantCode, permission });
  const seesFees = isAllowed(role, 'balance.see', store.live);
  const rows = await listStoreDays(context.views.queries, store.id, { from, to, limit: MAX_DAYS * MAX_METHODS });
  return { days: groupDays(rows, seesFees), totals: totalsOf(rows, seesFees) };
}
