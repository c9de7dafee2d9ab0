import { SANDBOX_PREFIX } from '@counterfoil/core/network-id.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { NetworksContext } from '../networks/networks.ts';
import type { PlannedAct } from '../sandbox/act.ts';
import { atOnce, planScenario } from '../sandbox/act.ts';
import { explainTestInvoice } from '../sandbox/explain-test-invoice.ts';
import { requestActs } from '../sandbox/request-acts.ts';
import { requestFault } from '../sandbox/request-fault.ts';
import type { AdmittedStore } from '../stores/store-for-key.ts';
import type { Admit } from './admit-request.ts';
import { admitRequest } from './admit-request.ts';
import { sandboxErrorSchema, transIdParameters } from './invoice-schemas.ts';
import { invalidFields, PublicError } from './public-error.ts';
import type { RequestBody } from './request-body.ts';
import { requireValue } from './request-body.ts';
import { requireTransId } from './require-trans-id.ts';
import {
  actsSchema,
  advanceBody,
  explanationSchema,
  faultBody,
  payBody,
  playBody,
  reorgBody,
} from './sandbox-schemas.ts';
import { viewActs, viewExplanation } from './sandbox-view.ts';

/** The sandbox API, only for test stores' keys: a test payer, and deliberate faults. */

export const SANDBOX_PATH = '/sandbox';

type SandboxOptions = NetworksContext & { admit: Admit };

const ERRORS = Object.fromEntries(
  [400, 401, 403, 404, 409, 413, 415, 429, 500].map((status) => [status, sandboxErrorSchema]),
);

function readBody<Schema extends z.ZodType>(schema: Schema, body: RequestBody | undefined): z.output<Schema> {
  const parsed = schema.safeParse((body && requireValue(body)) ?? {});
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = String(issue?.path[0] ?? 'body');
  throw invalidFields([{ field, message: issue?.message ?? 'The body is not as described.' }]);
}

async function admitTestStore(admit: Admit, request: FastifyRequest, reply: FastifyReply): Promise<AdmittedStore> {
  const store = await admitRequest(admit, 'sandbox', request, reply);
  if (store.live) throw new PublicError('TEST_KEY_REQUIRED');
  return store;
}

function transIdOf(request: FastifyRequest): string {
  const { trans_id: transId = '' } = request.params as { trans_id?: string };
  requireTransId(transId);
  return transId;
}

function planPayment({ payment, slow }: z.output<typeof payBody>): readonly PlannedAct[] {
  if (payment === 'late' || payment === 'twice')
    return planScenario(payment).map(({ act, afterMs }) => ({
      act: act.kind === 'pay' ? { ...act, slow } : act,
      afterMs,
    }));
  return [atOnce({ kind: 'pay', payment, slow })];
}

function methodOf({ network_symbol: network, token_symbol: token }: z.output<typeof payBody>) {
  if (network === undefined && token === undefined) return {};
  if (network === undefined || token === undefined)
    throw invalidFields([{ field: 'network_symbol', message: 'network_symbol and token_symbol go together.' }]);
  return { method: { network: `${SANDBOX_PREFIX}${network}`, token } };
}

type InvoiceRoute = {
  name: string;
  summary: string;
  body: z.ZodType;
  plan: (body: unknown) => { plan: readonly PlannedAct[]; method?: { network: string; token: string } };
};

function route<Schema extends z.ZodType>(
  name: string,
  summary: string,
  body: Schema,
  plan: (body: z.output<Schema>) => ReturnType<InvoiceRoute['plan']>,
): InvoiceRoute {
  return { name, summary, body, plan: (value) => plan(value as z.output<Schema>) };
}

const advancePlan = ({ seconds }: z.output<typeof advanceBody>): readonly PlannedAct[] => [
  atOnce(seconds === undefined ? { kind: 'end' } : { kind: 'advance', seconds }),
];

const INVOICE_ROUTES: readonly InvoiceRoute[] = [
  route('pay', 'Pay an invoice', payBody, (body) => ({ plan: planPayment(body), ...methodOf(body) })),
  route('confirm', 'Confirm slow payments', reorgBody.pick({}), () => ({ plan: [atOnce({ kind: 'confirm' })] })),
  route('reorg', 'Take the last payment out of its chain', reorgBody, ({ returns }) => ({
    plan: [atOnce({ kind: 'reorg', returns })],
  })),
  route('advance', 'Let time pass for an invoice', advanceBody, (body) => ({ plan: advancePlan(body) })),
  route('play', 'Play a scenario', playBody, ({ scenario }) => ({ plan: planScenario(scenario) })),
];

function registerInvoiceActs(app: FastifyInstance, { admit, ...context }: SandboxOptions): void {
  for (const { name, summary, body, plan } of INVOICE_ROUTES) {
    app.route({
      method: 'POST',
      url: `${SANDBOX_PATH}/invoices/:trans_id/${name}`,
      schema: {
        summary,
        operationId: `${name}TestInvoice`,
        params: transIdParameters,
        body,
        response: { 200: actsSchema, ...ERRORS },
      },
      handler: async (request, reply) => {
        const store = await admitTestStore(admit, request, reply);
        const transId = transIdOf(request);
        const asked = plan(readBody(body, request.body as RequestBody | undefined));
        const actor = { kind: 'key', storeId: store.id } as const;
        return viewActs(await requestActs(context, actor, { store, transId, ...asked }));
      },
    });
  }
}

export function registerSandboxRoutes(app: FastifyInstance, options: SandboxOptions): void {
  const { admit, ...context } = options;
  registerInvoiceActs(app, options);
  app.route({
    method: 'POST',
    url: `${SANDBOX_PATH}/faults`,
    schema: {
      summary: 'Begin or end a fault',
      operationId: 'setTestFault',
      body: faultBody,
      response: { 200: actsSchema, ...ERRORS },
    },
    handler: async (request, reply) => {
      const store = await admitTestStore(admit, request, reply);
      const { fault, seconds } = readBody(faultBody, request.body as RequestBody | undefined);
      const actor = { kind: 'key', storeId: store.id } as const;
      return viewActs(await requestFault(context, actor, { store, fault, seconds }));
    },
  });
  app.route({
    method: 'GET',
    url: `${SANDBOX_PATH}/invoices/:trans_id`,
    schema: {
      summary: 'Explain a test invoice',
      operationId: 'explainTestInvoice',
      params: transIdParameters,
      response: { 200: explanationSchema, ...ERRORS },
    },
    handler: async (request, reply) => {
      const store = await admitTestStore(admit, request, reply);
      const transId = transIdOf(request);
      const actor = { kind: 'key', storeId: store.id } as const;
      return viewExplanation(context.networks, await explainTestInvoice(context, actor, { store, transId }));
    },
  });
}
