import { formatDecimal } from '@counterfoil/core/amount.ts';
import { formatMicroUsd, formatUsd } from '@counterfoil/core/usd.ts';
import type { Refusal, RefusalCode, Refusals } from '../lib/refusal.ts';
import { DISCOUNT_DECIMALS, FEE_RATE_DECIMALS } from '../ledger/fee.ts';
import { CURSOR_FAULT } from './store-list-query.ts';
import { invalidFields, PublicError } from './public-error.ts';

/** The merchant API's answers to refusals. Other codes have no answer in the contract. */

type Answers = { [Code in RefusalCode]?: (details: Refusals[Code]) => PublicError };

const ANSWERS: Answers = {
  EXCHANGE_RATE_UNAVAILABLE: (details) => new PublicError('EXCHANGE_RATE_UNAVAILABLE', { details }),
  AMOUNT_OUT_OF_RANGE: ({ currency, exchangeRate }) => {
    const message = `amount must be worth 0.01 to 1000000 USD, at ${exchangeRate} USD for 1 ${currency}.`;
    return invalidFields([{ field: 'amount', message }]);
  },
  NO_PAYMENT_METHOD: () => new PublicError('NO_PAYMENT_METHOD'),
  STORE_NOT_FOR_TESTS: () => new PublicError('TEST_KEY_REQUIRED'),
  INVOICE_UNKNOWN: ({ transId }) => new PublicError('INVOICE_NOT_FOUND', { details: { trans_id: transId } }),
  INVOICE_NOT_CANCELLABLE: (details) => new PublicError('INVOICE_NOT_CANCELLABLE', { details }),
  CURSOR_UNKNOWN: () => invalidFields([CURSOR_FAULT]),
  METHOD_NOT_SELECTED: (details) => new PublicError('METHOD_NOT_SELECTED', { details }),
  TOO_MANY_ACTS: (details) => new PublicError('TOO_MANY_ACTS', { details }),
  TOO_MANY_FAULTS: (details) => new PublicError('TOO_MANY_FAULTS', { details }),
  TOO_BUSY: ({ retryAfterSeconds }) =>
    new PublicError('RATE_LIMIT_EXCEEDED', { extra: { retry_after_seconds: retryAfterSeconds } }),
  INSUFFICIENT_BALANCE: ({ availableMicroUsd, feeMicroUsd, feeRateUnits, discountUnits, amountUnits }) =>
    new PublicError('INSUFFICIENT_BALANCE', {
      details: {
        current_balance: formatMicroUsd(availableMicroUsd),
        required_fee: formatMicroUsd(feeMicroUsd),
        shortage: formatMicroUsd(feeMicroUsd - availableMicroUsd),
        fee_rate_percent: formatDecimal(feeRateUnits, FEE_RATE_DECIMALS),
        discount_percent: formatDecimal(discountUnits, DISCOUNT_DECIMALS),
        invoice_amount: formatUsd(amountUnits),
      },
    }),
};

/** Undefined where the contract has no answer, which is a bug of ours. */
export function answerRefusal<Code extends RefusalCode>({ code, details }: Refusal<Code>): PublicError | undefined {
  const answer: Answers[Code] = ANSWERS[code];
  return answer?.(details);
}
