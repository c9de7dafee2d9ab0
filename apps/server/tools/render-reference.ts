import { readFileSync } from 'node:fs';
import { PUBLIC_ERRORS } from '../src/api/public-error.ts';
import { CONTRACT_LIMITS } from '../src/stores/admission.ts';

/** Renders the reference of the merchant API as one page without script, from the OpenAPI document. */

type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  const?: unknown;
  enum?: string[];
  anyOf?: Schema[];
  pattern?: string;
  format?: string;
  maxLength?: number;
  example?: unknown;
  examples?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
};
type Body = { content?: { 'application/json'?: { schema: Schema } } };
type Operation = {
  operationId: string;
  summary: string;
  description: string;
  parameters?: { name: string; description: string; schema: Schema }[];
  requestBody?: Body;
  responses: Record<string, Body>;
};
export type ApiDocument = {
  info: { title: string; version: string; description: string };
  components: { schemas: Record<string, Schema> };
  paths: Record<string, Record<string, Operation>>;
};

const STYLE = readFileSync(new URL('reference.css', import.meta.url), 'utf8').trim();
const SERVER = 'https://api.example';

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (text: string) => text.replaceAll(/[&<>"]/g, (character) => ESCAPES[character] ?? '');
/** Descriptions use backticks for code, and no other markup. */
const prose = (text: string) => escape(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
const code = (text: string) => `<code>${escape(text)}</code>`;

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = heads.map((name) => `<th scope="col">${name}</th>`).join('');
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n');
  return `<div class="table" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>\n${body}\n</tbody></table></div>`;
}

function resolve(document: ApiDocument, schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1);
  const found = name === undefined ? undefined : document.components.schemas[name];
  return found ? { ...found, ...(schema.description && { description: schema.description }) } : schema;
}

const FEW_VALUES = 8;

function typeOf(schema: Schema): string {
  if (schema.anyOf) return schema.anyOf.map((one) => typeOf(one)).join(' or ');
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum && schema.enum.length > FEW_VALUES) return 'one of the codes below';
  if (schema.enum) return schema.enum.map((value) => code(value)).join(' ');
  const type = [schema.type ?? 'object'].flat().join(' or ');
  const bounds = [schema.format, schema.maxLength && `at most ${schema.maxLength} characters`, schema.pattern];
  return [type, ...bounds.filter(Boolean)].map((part) => escape(String(part))).join(', ');
}

/** Fields by their full names; those of nested objects have a dot. */
function fieldsOf(document: ApiDocument, schema: Schema, within = ''): string[][] {
  const { properties = {}, required = [] } = resolve(document, schema);
  return Object.entries(properties).flatMap(([name, raw]) => {
    const field = resolve(document, raw);
    const nested = field.properties ? fieldsOf(document, field, `${within}${name}.`) : [];
    const always = required.includes(name) ? 'always' : '';
    return [[code(within + name), typeOf(field), always, prose(field.description ?? '')]].concat(nested);
  });
}

function exampleOf(document: ApiDocument, raw: Schema): unknown {
  const schema = resolve(document, raw);
  if (!schema.properties) return schema.const ?? schema.example ?? schema.examples?.[0] ?? schema.enum?.[0] ?? '...';
  const always = Object.entries(schema.properties).filter(([name]) => schema.required?.includes(name));
  return Object.fromEntries(always.map(([name, field]) => [name, exampleOf(document, field)]));
}

const schemaIn = (body: Body | undefined): Schema => body?.content?.['application/json']?.schema ?? {};

function curlOf(document: ApiDocument, path: string, operation: Operation): string {
  const target = path.replace('{trans_id}', 'TID-4F7K2M9QX1B8Z3CD');
  const call = `curl ${SERVER}${target} -H "x-api-key: $API_KEY"`;
  if (!operation.requestBody) return call;
  const { properties = {}, required = [] } = resolve(document, schemaIn(operation.requestBody));
  const sent = { merchant_id: 'MID-...', ...Object.fromEntries(required.map((name) => [name, properties[name]])) };
  const body = { ...sent, merchant_id: 'MID-...', amount: '50.00', request_id: 'order-1001' };
  return `${call} -H "content-type: application/json" \\\n  -d '${JSON.stringify(body)}'`;
}

function operationSection(document: ApiDocument, path: string, method: string, operation: Operation): string {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  const success = schemaIn(responses['200']);
  const statuses = Object.keys(responses).filter((status) => status !== '200');
  const inputs = requestBody
    ? fieldsOf(document, schemaIn(requestBody))
    : (parameters ?? []).map(({ name, schema, description: text }) => [
        code(name),
        typeOf(schema),
        'always',
        prose(text),
      ]);
  return `<section id="${operationId}"><h2>${escape(summary)}</h2>
<p class="call"><b>${method.toUpperCase()}</b> ${code(path)}</p>
<p>${prose(description)}</p>
<pre>${escape(curlOf(document, path, operation))}</pre>
<h3>${requestBody ? 'Body' : 'Path'}</h3>
${table(['Field', 'Type', 'Present', 'Meaning'], inputs)}
<h3>Answer</h3>
<pre>${escape(JSON.stringify(exampleOf(document, success), null, 2))}</pre>
${table(['Field', 'Type', 'Present', 'Meaning'], fieldsOf(document, success))}
<p class="quiet">Refusals: ${statuses.map((status) => code(status)).join(' ')}, in the shape of <a href="#errors">errors</a>.</p>
</section>`;
}

function limitsSection(): string {
  const rows = (['create', 'lookup'] as const).map((name) => [
    name === 'create' ? 'Create invoice' : 'Get invoice',
    String(CONTRACT_LIMITS[name].burst),
    String(CONTRACT_LIMITS[name].sustained),
  ]);
  return `<section id="limits"><h2>Limits</h2>
<p>A store may call as often as its plan says; these are the usual limits. Every answer carries <code>RateLimit-Limit</code>,
<code>RateLimit-Remaining</code> and <code>RateLimit-Reset</code>; a refusal also carries <code>Retry-After</code>.</p>
${table(['Call', 'In a second', 'In a minute'], rows)}
</section>`;
}

function errorsSection(document: ApiDocument): string {
  const rows = Object.entries(PUBLIC_ERRORS).map(([name, [status, message]]) => [
    code(name),
    String(status),
    escape(message),
  ]);
  return `<section id="errors"><h2>Errors</h2>
${table(['Field', 'Type', 'Present', 'Meaning'], fieldsOf(document, { $ref: '#/components/schemas/Error' }))}
<h3>Codes</h3>
${table(['Code', 'Status', 'Message'], rows)}
</section>`;
}

export function renderReference(document: ApiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const links = [
    ...operations.map(({ operation }) => [operation.operationId, operation.summary]),
    ['limits', 'Limits'],
    ['errors', 'Errors'],
  ];
  const nav = links.map(([id = '', name = '']) => `<a href="#${id}">${escape(name)}</a>`).join('\n');
  const intro = document.info.description.split('\n\n').map((part) => `<p>${prose(part)}</p>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${escape(document.info.title)}</title>
<style>${STYLE}</style>
</head>
<body>
<div class="page">
<nav aria-label="Contents">
${nav}
<a href="/openapi.json">openapi.json</a>
</nav>
<main>
<header><h1>${escape(document.info.title)}</h1>
${intro.join('\n')}
<p class="quiet">Version ${escape(document.info.version)}. The key goes into the header <code>x-api-key</code>.</p></header>
${operations.map(({ path, method, operation }) => operationSection(document, path, method, operation)).join('\n')}
${limitsSection()}
${errorsSection(document)}
</main>
</div>
</body>
</html>
`;
}
