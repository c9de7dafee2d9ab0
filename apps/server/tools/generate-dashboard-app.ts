/** The types of the server's dashboard API, for the dashboard's app. */

type Schema = {
  type?: string | readonly string[];
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Schema[];
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  additionalProperties?: unknown;
};
type Content = { content?: { 'application/json'?: { schema?: Schema } } };
type Parameter = { name: string; in: string; required?: boolean; schema?: Schema };
type Operation = { parameters?: readonly Parameter[]; requestBody?: Content; responses: Record<string, Content> };
type Document = { paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };

const HEAD = '// Written by pnpm generate. Do not edit.\n\n';
const BASE_PATH = '/api/dashboard';
const SIMPLE: Record<string, string> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

/** The TypeScript type of a JSON schema. */
function typeOf(schema: Schema | undefined): string {
  if (!schema) return 'unknown';
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' | ');
  if (schema.type === 'array') return `readonly (${typeOf(schema.items)})[]`;
  if (schema.type === 'object') return objectType(schema);
  return [schema.type ?? '']
    .flat()
    .map((name) => SIMPLE[name] ?? 'unknown')
    .join(' | ');
}

function objectType({ properties = {}, required = [], additionalProperties }: Schema): string {
  const fields = Object.entries(properties).map(
    ([name, schema]) => `${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`,
  );
  if (fields.length > 0) return `{ ${fields.join('; ')} }`;
  return additionalProperties === false ? 'Record<string, never>' : 'Record<string, unknown>';
}

const jsonOf = (content: Content | undefined) => content?.content?.['application/json']?.schema;

function describeOperation({ parameters = [], requestBody, responses }: Operation): string {
  const fieldsOf = (place: string) =>
    parameters
      .filter((one) => one.in === place)
      .map(({ name, required, schema }) => `${JSON.stringify(name)}${required ? '' : '?'}: ${typeOf(schema)}`);
  const [path, query] = [fieldsOf('path'), fieldsOf('query')];
  const parts = [
    ...(path.length > 0 ? [`path: { ${path.join('; ')} }`] : []),
    ...(query.length > 0 ? [`query: { ${query.join('; ')} }`] : []),
    ...(requestBody ? [`body: ${typeOf(jsonOf(requestBody))}`] : []),
    `answer: ${typeOf(jsonOf(responses['200'])?.properties?.['data'])}`,
  ];
  return `{ ${parts.join('; ')} }`;
}

/** The types of the dashboard's API: for each operation its path, query, body and answer. */
export function generateOperations(document: unknown): string {
  const { paths } = document as Document;
  const lines = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) =>
        `  '${method.toUpperCase()} ${path.slice(BASE_PATH.length)}': ${describeOperation(operation)};\n`,
    ),
  );
  return `${HEAD}export type Operations = {\n${lines.join('')}};\n`;
}
