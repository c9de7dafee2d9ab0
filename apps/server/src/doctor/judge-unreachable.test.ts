import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { judgeUnreachable } from './judge-unreachable.ts';

const refusal = (code: string) => Object.assign(new pg.DatabaseError('refused', 0, 'error'), { code });
const failure = (code: string) => Object.assign(new Error('failed'), { code });

describe('a database that does not answer', () => {
  test.each<[string, Error, RegExp]>([
    ['without a free connection', refusal('53300'), /pg_stat_activity.*max_connections/],
    ['that refuses the password', refusal('28P01'), /password.*pg_hba\.conf/],
    ['that pg_hba.conf does not let in', refusal('28000'), /password.*pg_hba\.conf/],
    ['that does not exist', refusal('3D000'), /database name/],
    ['that is starting', refusal('57P03'), /Wait/],
    ['that is damaged', refusal('XX001'), /log/],
    ['whose host is unknown', failure('ENOTFOUND'), /host and port.*DNS/],
    ['that nobody runs', failure('ECONNREFUSED'), /database server runs/],
    ['whose certificate has ended', failure('CERT_HAS_EXPIRED'), /sslrootcert/],
  ])('%s has its own remedy', (_title, cause, mend) => {
    expect(judgeUnreachable(cause)).toMatchObject({ check: 'database', mend: expect.stringMatching(mend) as string });
  });
});
