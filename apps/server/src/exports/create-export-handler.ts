import type { JobHandler } from '../jobs/job-handler.ts';
import { failExport } from './export-sql.ts';
import type { ExportingContext } from './make-export.ts';
import { makeExport } from './make-export.ts';

export function createExportHandler(context: ExportingContext): JobHandler<'make-export'> {
  return {
    run: ({ exportId }) => makeExport(context, BigInt(exportId)),
    bury: (tx, { exportId }) => failExport(tx, BigInt(exportId), 'tries-used-up', new Date(context.clock.nowMs())),
  };
}
