import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Contract } from './contract-client.ts';
import { OWN_ERRORS, openContract, SPECIFIED_ERRORS } from './contract-client.ts';

const properties = z.record(z.string(), z.looseObject({}));
const objectSchema = z.looseObject({ properties, required: z.array(z.string()) });
const documentSchema = z.looseObject({
  info: z.looseObject({ version: z.string() }),
  components: z.looseObject({
    securitySchemes: z.unknown(),
    schemas: z.looseObject({
      CreateInvoice: objectSchema,
      CreatedInvoice: objectSchema,
      Invoice: objectSchema,
      FoundInvoice: objectSchema,
      Error: objectSchema,
    }),
  }),
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({ responses: z.record(z.string(), z.unknown()), parameters: z.unknown().optional() }),
    ),
  ),
  security: z.unknown(),
});

let contract: Contract;
let served: { status: number; document: z.output<typeof documentSchema>; raw: unknown; headers: Headers };

beforeAll(async () => {
  contract = await openContract();
  const response = await fetch(`${contract.server.url}/openapi.json`);
  const raw: unknown = await response.json();
  served = { status: response.status, raw, document: documentSchema.parse(raw), headers: response.headers };
});
afterAll(() => contract.close());

const schemas = () => served.document.components.schemas;
const fieldsOf = (schema: z.output<typeof objectSchema>) => Object.keys(schema.properties).toSorted();

describe('the OpenAPI document', () => {
  test('the served document is the one in the repository', () => {
    expect(served.status).toBe(200);
    const file = new URL('../../openapi.json', import.meta.url);
    expect(served.raw).toStrictEqual(JSON.parse(readFileSync(file, 'utf8')));
  });

  test('its version is the api-version header', () => {
    expect(served.document.info.version).toBe(served.headers.get('api-version'));
  });

  test('paths | POST /payment/crypto and GET /invoice/{trans_id}, nothing else', () => {
    const paths = Object.entries(served.document.paths).map(([path, methods]) => [path, Object.keys(methods)]);
    expect(paths).toStrictEqual([
      ['/payment/crypto', ['post']],
      ['/invoice/{trans_id}', ['get']],
    ]);
  });

  test('authentication | x-api-key header on every path', () => {
    expect(served.document.components.securitySchemes).toStrictEqual({
      apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
    });
    expect(served.document.security).toStrictEqual([{ apiKey: [] }]);
  });

  test('create body | the eight fields, merchant_id and amount required', () => {
    const schema = schemas().CreateInvoice;
    expect(fieldsOf(schema)).toStrictEqual(
      [
        'merchant_id',
        'amount',
        'callback_url',
        'completed_url',
        'expired_url',
        'name',
        'description',
        'request_id',
      ].toSorted(),
    );
    expect(schema.required).toStrictEqual(['merchant_id', 'amount']);
  });

  test.each([
    ['callback_url', 500],
    ['completed_url', 500],
    ['expired_url', 500],
    ['name', 255],
    ['description', 1000],
    ['request_id', 255],
  ])('create body | %s | max %i chars', (field, maximum) => {
    expect(schemas().CreateInvoice.properties[field]).toMatchObject({ type: 'string', maxLength: maximum });
  });

  test('create body | amount | number or string', () => {
    expect(schemas().CreateInvoice.properties['amount']).toMatchObject({ type: ['number', 'string'] });
  });

  test('create success | status, data and idempotent', () => {
    expect(fieldsOf(schemas().CreatedInvoice)).toStrictEqual(['data', 'idempotent', 'status']);
    expect(schemas().CreatedInvoice.required).toStrictEqual(['status', 'data']);
    const data = objectSchema.parse(schemas().CreatedInvoice.properties['data']);
    const always = ['trans_id', 'status', 'amount', 'url_payment', 'expires_in_minutes'];
    expect(data.required).toStrictEqual(always);
    expect(fieldsOf(data)).toStrictEqual([...always, 'request_id'].toSorted());
  });

  test('get success | the fields of the Invoice table, five of them always', () => {
    const always = ['trans_id', 'status', 'amount', 'created_at', 'expires_at'];
    const supplied = ['request_id', 'name', 'description'];
    const selected = ['token_symbol', 'network_symbol', 'token_amount', 'token_price', 'to_address'];
    const completed = ['transaction_hash', 'from_address', 'fee_amount', 'callback_status'];
    expect(schemas().Invoice.required).toStrictEqual(always);
    expect(fieldsOf(schemas().Invoice)).toStrictEqual([...always, ...supplied, ...selected, ...completed].toSorted());
    expect(fieldsOf(schemas().FoundInvoice)).toStrictEqual(['data', 'status']);
  });

  test('errors | the fields of the error shape, three of them always', () => {
    const schema = schemas().Error;
    const always = ['status', 'message', 'error_code'];
    expect(schema.required).toStrictEqual(always);
    expect(fieldsOf(schema)).toStrictEqual(
      [...always, 'request_id', 'details', 'limit_type', 'retry_after_seconds'].toSorted(),
    );
  });

  test('errors | the codes are those of the specification and our own', () => {
    const codes = z.object({ enum: z.array(z.string()) }).parse(schemas().Error.properties['error_code']).enum;
    const expected = [...Object.keys(SPECIFIED_ERRORS), ...Object.keys(OWN_ERRORS)];
    expect(codes.toSorted()).toStrictEqual([...expected, 'RATE_LIMIT_EXCEEDED', 'REQUEST_TIMEOUT'].toSorted());
  });

  test.each([
    ['/payment/crypto', 'post', ['200', '400', '401', '402', '403', '413', '415', '429', '500']],
    ['/invoice/{trans_id}', 'get', ['200', '400', '401', '403', '404', '429', '500']],
  ])('responses | %s %s | %j', (path, method, statuses) => {
    expect(Object.keys(served.document.paths[path]?.[method]?.responses ?? {})).toStrictEqual(statuses);
  });

  test('get | the path parameter trans_id with its format', () => {
    expect(served.document.paths['/invoice/{trans_id}']?.['get']?.parameters).toMatchObject([
      { in: 'path', name: 'trans_id', required: true, schema: { type: 'string', pattern: '^TID-[A-Z0-9]{16}$' } },
    ]);
  });
});
