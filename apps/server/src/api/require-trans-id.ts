import { isTransId, TRANS_ID_FORMAT } from '@counterfoil/core/code.ts';
import { PublicError } from './public-error.ts';

/** Refuses malformed invoice codes. */
export function requireTransId(transId: string): void {
  if (isTransId(transId)) return;
  throw new PublicError('INVALID_TRANS_ID_FORMAT', {
    details: { trans_id: transId, expected_format: TRANS_ID_FORMAT },
  });
}
