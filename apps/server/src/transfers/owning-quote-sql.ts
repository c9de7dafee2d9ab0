import { isSandboxId } from '@counterfoil/core/network-id.ts';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { WINDOW_SKEW_SECONDS } from '../quotes/quote.ts';

/** SQL that finds the quote which owned an amount when a transfer of this amount arrived. */

/**
 * Whether the store of quote `q` may be paid on a network: a test store in the sandbox only, a live store on all other
 * networks. Test stores may have quotes on other networks from before that rule. The check is made last, for the quote
 * that owned the amount: among the query's other conditions it would run for many more quotes.
 */
export const ofStoreOn = (network: string) =>
  sql`(select s.live from invoices i join stores s on s.id = i.store_id where i.id = q.invoice_id) = ${!isSandboxId(network)}::boolean`;

/**
 * A subquery with the quote that owned the amount of row `t` at its block time, or with no row. `t` is a row of values
 * and not a stored transfer: otherwise the query planner might begin with all quotes.
 */
export const owningQuote = (network: string, meantFirst: RawBuilder<unknown> = sql``) => sql`(
  select q.quote_id, q.invoice_id from (
    select q.id as quote_id, q.invoice_id from quotes q
    where q.network = ${network} and q.token = t.token and q.to_address = t.address and q.display_units = t.display_units
      and t.block_time < q.held_to and t.block_time >= date_trunc('second', q.held_from) - make_interval(secs => ${WINDOW_SKEW_SECONDS})
    order by ${meantFirst}q.held_from <= t.block_time desc, q.held_from desc limit 1
  ) q where ${ofStoreOn(network)})`;
