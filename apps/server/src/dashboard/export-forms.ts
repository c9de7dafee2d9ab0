import { z } from 'zod';
import { EXPORT_KINDS, EXPORT_STATES } from '../exports/export.ts';
import { seconds } from './answer-parts.ts';

const one = z.strictObject({
  export: z.string(),
  kind: z.enum(EXPORT_KINDS),
  state: z.enum(EXPORT_STATES),
  stores: z.array(z.string()).nullable().describe('Null for the whole merchant'),
  from: seconds.nullable(),
  to: seconds,
  status: z.string().nullable(),
  rows: z.int().nullable(),
  bytes: z.int().nullable(),
  sha256: z.string().nullable().describe('Of the file, in hexadecimal digits'),
  fault: z.string().nullable().describe('Why there is no file'),
  requested_by: z.string().describe('The code of a person'),
  created_at: seconds,
  done_at: seconds.nullable(),
  expires_at: seconds.nullable(),
});

export const EXPORT_FORMS: Readonly<Record<string, z.ZodType>> = {
  'POST /accounts/:account/exports': z.strictObject({ export: z.string() }),
  'GET /accounts/:account/exports': z.strictObject({ exports: z.array(one), next: z.string().nullable() }),
  'GET /accounts/:account/exports/:export': one,
};
