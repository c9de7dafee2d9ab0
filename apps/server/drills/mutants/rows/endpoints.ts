import type { Mutant } from '../mutant.ts';

/** Bugs in webhook endpoints. */
export const ENDPOINT_MUTANTS: readonly Mutant[] = [
  {
    name: 'endpoint-signed-by-store',
    edits: [
      {
        file: 'src/webhooks/send-delivery.ts',
        find: 'await (ofEndpoint ? context.endpointSecretsOf(endpointId) : context.secretsOf(storeId));',
        replace:
          'await (ofEndpoint && endpointId < 0n ? context.endpointSecretsOf(endpointId) : context.secretsOf(storeId));',
      },
    ],
    suite: 'test/webhooks/endpoints.test.ts',
    title: 'an endpoint receives the event that the callback URL receives, each signed with its own secret',
  },
  {
    name: 'disabled-endpoint-served',
    edits: [
      {
        file: 'src/webhooks/delivery-sql.ts',
        find: 'where d.id = f.id and e.id = d.event_row_id and p.id = d.endpoint_id and w.disabled_at is null',
        replace: 'where d.id = f.id and e.id = d.event_row_id and p.id = d.endpoint_id',
      },
      {
        file: 'src/webhooks/delivery-sql.ts',
        find: '\n  and d.endpoint_id <> all(array(select endpoint_id from webhook_endpoints where draining))',
        replace: '',
      },
    ],
    suite: 'test/webhooks/endpoints.test.ts',
    title: 'what waits for a disabled endpoint ends, with the reason in its log, and nothing more is sent to it',
  },
  {
    name: 'callback-status-by-endpoint',
    edits: [
      {
        file: 'src/webhooks/attempt-sql.ts',
        find: ' and not exists (select from webhook_endpoints w where w.endpoint_id = m.endpoint_id)',
        replace: '',
      },
    ],
    suite: 'test/webhooks/endpoints.test.ts',
    title: 'an invoice without a callback URL is told to endpoints, and has no callback status',
  },
  {
    name: 'endpoint-types-ignored',
    edits: [
      {
        file: 'src/invoices/record-events.ts',
        find: 'endpoints.filter(({ types }) => types.includes(one.type))',
        replace: 'endpoints.filter(({ types }) => types.length > 0)',
      },
    ],
    suite: 'test/webhooks/endpoints.test.ts',
    title: 'an endpoint receives only the types that it was given',
  },
  {
    name: 'more-than-ten-endpoints',
    edits: [
      {
        file: 'src/webhooks/webhook-endpoint-sql.ts',
        find: 'select n as place from generate_series(1, 10) n where not exists (',
        replace: 'select least(n, 10) as place from generate_series(1, 99) n where n > 10 or not exists (',
      },
    ],
    suite: 'test/webhooks/endpoints.test.ts',
    title: 'a store has at most ten endpoints, also when they are added at the same moment',
  },
  {
    name: 'callback-gets-new-types',
    edits: [
      {
        file: 'src/invoices/record-events.ts',
        find: 'url: isCallbackEvent(one.type) ? one.invoice.callbackUrl : null,',
        replace: 'url: one.invoice.callbackUrl,',
      },
    ],
    suite: 'test/webhooks/endpoints.test.ts',
    title: 'the new types never reach a callback URL, and its events are numbered as without endpoints',
  },
  {
    name: 'repeated-event-same-id',
    edits: [
      {
        file: 'src/invoices/record-events.ts',
        find: "return type === 'invoice.processing' ? String(processings) : undefined;",
        replace: "return type === 'invoice.processing' ? String(Math.min(processings, 1)) : undefined;",
      },
    ],
    suite: 'test/webhooks/endpoints.test.ts',
    title: 'each time an invoice begins to process is an event of its own, with the same ids after a restore',
  },
];
