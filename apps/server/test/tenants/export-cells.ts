import { createExportCode } from '../../src/exports/export.ts';
import type { Cells } from './cells.ts';

/** Routes about exports. */

const MADE = `
  with person as (select id, code from people order by id limit 1),
  cleared as (delete from export_chunks),
  made as (
    insert into exports (code, merchant_account_id, person_id, requested_by, kind, store_ids, whole_merchant, to_at, state, slot,
      has_chunks, created_at, done_at, expires_at, rows, bytes, sha256)
    select $1, $2, person.id, person.code, 'invoices', array[$3::bigint], false, now(), 'done', 1, true, now(), now(),
      now() + interval '1 day', 0, 3, sha256('a\r\n') from person returning id)
  insert into export_chunks (export_id, number, bytes) select id, 0, 'a\r\n' from made`;

export const exportCells: Cells = {
  bodies: { 'POST /accounts/:account/exports': () => ({ kind: 'invoices' }) },
  parts: {
    ':export': async ({ site, store }) => {
      const code = createExportCode();
      await site.database.pool.query(MADE, [code, store.merchantAccountId, store.id]);
      return code;
    },
  },
  tables: ['exports'],
};
