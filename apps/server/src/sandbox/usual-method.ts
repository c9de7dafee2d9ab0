import type { MethodChoice } from '../invoices/decide-selection.ts';
import type { Selection } from '../invoices/select-payment-method.ts';
import { SANDBOX_NETWORKS } from '../networks/sandbox-networks.ts';

/** Default payment methods: stablecoins, whose amounts are easy to read. */
export const USUAL_METHODS: readonly MethodChoice[] = SANDBOX_NETWORKS.flatMap(({ id, tokens }) =>
  tokens.filter(({ stable }) => stable).map(({ symbol }) => ({ network: id, token: symbol })),
);

/** Selects the first available method; returns why the last one was not, or undefined. */
export async function selectFirst(
  methods: readonly MethodChoice[],
  select: (method: MethodChoice) => Promise<Selection>,
): Promise<string | undefined> {
  let refusal = 'not-offered';
  for (const method of methods) {
    const selection = await select(method);
    if (selection.selected) return undefined;
    ({ refusal } = selection);
  }
  return refusal;
}
