/** Programs that create a first invoice, by the contract. */

export const SNIPPET_KINDS = ['curl', 'node'] as const;
export type SnippetKind = (typeof SNIPPET_KINDS)[number];

/** Placeholder for the key: a shell variable. */
const KEY_VARIABLE = 'COUNTERFOIL_KEY';

const fieldsOf = (merchantId: string) => ({
  merchant_id: merchantId,
  amount: '12.50',
  request_id: 'order-1001',
  callback_url: 'https://shop.example/webhooks',
});

/** A curl request; with a key it can be run as it is, except for the API's URL. */
function curlOf(merchantId: string, key?: string): string {
  return [
    'curl -X POST "$COUNTERFOIL_API/payment/crypto" \\',
    '  -H "content-type: application/json" \\',
    `  -H "x-api-key: ${key ?? `$${KEY_VARIABLE}`}" \\`,
    `  -d '${JSON.stringify(fieldsOf(merchantId), null, 2).replaceAll('\n', '\n  ')}'`,
  ].join('\n');
}

function nodeOf(merchantId: string, key?: string): string {
  const lines = Object.entries(fieldsOf(merchantId)).map(([name, value]) => `    ${name}: '${value}',`);
  return [
    'const response = await fetch(`${process.env.COUNTERFOIL_API}/payment/crypto`, {',
    "  method: 'POST',",
    '  headers: {',
    "    'content-type': 'application/json',",
    `    'x-api-key': ${key === undefined ? `process.env.${KEY_VARIABLE}` : `'${key}'`},`,
    '  },',
    '  body: JSON.stringify({',
    ...lines,
    '  }),',
    '});',
    'const { status, data, error_code } = await response.json();',
    "if (status !== 'success') throw new Error(error_code);",
    'console.log(data.url_payment);',
  ].join('\n');
}

export const snippetOf = (kind: SnippetKind, merchantId: string, key?: string): string =>
  kind === 'curl' ? curlOf(merchantId, key) : nodeOf(merchantId, key);

/** The command that makes the test payer pay an invoice. */
export const payByCurl = (): string =>
  [
    'curl -X POST "$COUNTERFOIL_API/sandbox/invoices/TID-…/pay" \\',
    '  -H "content-type: application/json" \\',
    `  -H "x-api-key: $${KEY_VARIABLE}" \\`,
    `  -d '{"payment": "exact", "network_symbol": "BSC", "token_symbol": "USDT"}'`,
  ].join('\n');
