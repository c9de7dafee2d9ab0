import { z } from 'zod';
import { ANSWER_FORMS } from './answer-forms.ts';
import { DASHBOARD_ERRORS } from './dashboard-error.ts';
import type { DashboardRoute } from './route.ts';

const BASE_PATH = '/api/dashboard';

const ABOUT = `What the dashboard's pages call. A browser is signed in by a cookie; every request that changes something must come from
the dashboard's own pages. Bodies are JSON, and a field that is not named here is refused. This is no part of the contract
with merchants' backends, and changes with the dashboard.`;

const NOTHING_FORM = z.strictObject({});

/** The method name in generated clients: HTTP method and words of the path. */
function writeSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _dialect, ...written } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' });
  return written;
}

const json = (schema: unknown) => ({ 'application/json': { schema } });

const PARAMETER = /:([a-z]+)/g;

const namesIn = (url: string) => [...url.matchAll(PARAMETER)].map(([, name = '']) => name);

function operationId({ method, url }: DashboardRoute): string {
  const words = url.split(/[^a-z]+/).filter((word) => word !== '');
  return [method.toLowerCase(), ...words.map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`)].join('');
}

function parametersOf({ url, query }: DashboardRoute) {
  const inPath = namesIn(url).map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
  if (!query) return inPath;
  const { properties = {}, required = [] } = writeSchema(query, 'input') as {
    properties?: Record<string, object>;
    required?: string[];
  };
  const inQuery = Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
  return [...inPath, ...inQuery];
}

function describeRoute(route: DashboardRoute) {
  const { method, url, summary, body, access, raw, media } = route;
  const parameters = parametersOf(route);
  const form = ANSWER_FORMS[`${method} ${url}`] ?? NOTHING_FORM;
  const enveloped = {
    type: 'object',
    properties: { status: { const: 'success' }, data: writeSchema(form, 'output') },
    required: ['status', 'data'],
    additionalProperties: false,
  };
  return {
    operationId: operationId(route),
    summary,
    security: access === 'person' ? [{ session: [] }] : [],
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: json(writeSchema(body, 'input')) } }),
    responses: {
      200: { description: 'Done.', content: media ? { [media]: {} } : json(raw ? {} : enveloped) },
      default: { $ref: '#/components/responses/Refused' },
    },
  };
}

const REFUSED = {
  description: 'Refused, with a code that says why.',
  content: json({
    type: 'object',
    properties: {
      status: { const: 'error' },
      message: { type: 'string' },
      error_code: { enum: Object.keys(DASHBOARD_ERRORS) },
      request_id: { type: 'string' },
      details: { type: 'object' },
    },
    required: ['status', 'message', 'error_code'],
  }),
};

export function describeDashboard(routes: readonly DashboardRoute[]) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = `${BASE_PATH}${route.url.replaceAll(PARAMETER, '{$1}')}`;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeRoute(route) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Counterfoil dashboard API', version: '1', description: ABOUT },
    paths,
    components: {
      securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: '__Host-counterfoil' } },
      responses: { Refused: REFUSED },
    },
  };
}
