import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { exportCells } from './export-cells.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { storeCells } from './store-cells.ts';
import { invoiceCells } from './invoice-cells.ts';
import { balanceCells } from './balance-cells.ts';
import { homeCells } from './home-cells.ts';
import { deliveryCells } from './delivery-cells.ts';
import { endpointCells } from './endpoint-cells.ts';
import { unmatchedCells } from './unmatched-cells.ts';

/** What the matrix needs to call the routes about one noun: their bodies and the parts of their paths. */

export type CellRig = { site: DashboardSite; store: TestStore; account: string };

export type Cells = {
  bodies?: Readonly<Record<string, () => unknown>>;
  /** Creates path parts at the own merchant, such as `:invoice`, for each call. */
  parts?: Readonly<Record<string, (rig: CellRig, route: string) => Promise<string>>>;
  /** The query of a route that needs one, with the question mark. */
  queries?: Readonly<Record<string, string>>;
  /** Tables that routes change. */
  tables?: readonly string[];
  /** Routes that are answered and change none of the tables. */
  withoutChange?: readonly string[];
  /** Routes that require two-factor. */
  withFactor?: readonly string[];
};

/** The routes of each noun, in files of their own. */
export const CELLS: readonly Cells[] = [
  storeCells,
  invoiceCells,
  balanceCells,
  exportCells,
  homeCells,
  deliveryCells,
  endpointCells,
  unmatchedCells,
];

/** The path of a route with all parts that cells know. */
export async function fillParts(url: string, route: string, rig: CellRig): Promise<string> {
  let filled = url;
  for (const { parts = {}, queries = {} } of CELLS) {
    for (const [part, make] of Object.entries(parts))
      if (filled.includes(part)) filled = filled.replace(part, await make(rig, route));
    filled = `${filled}${queries[route] ?? ''}`;
  }
  return filled;
}
