import type pg from 'pg';
import type { Database } from '../../src/db/database.ts';
import { SESSION_SETTINGS } from '../../src/db/database.ts';
import type { ProcessRole } from '../../src/db/role.ts';
import { roleName } from '../../src/db/role.ts';
import { openPatiently } from '../database/role-database.ts';

/**
 * A database whose server reports the plan of every executed SQL statement with the pages that the plan touched. The
 * recording has the program's real SQL statements with their real values, on connections opened as in production.
 */

export type PlanNode = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: PlanNode[];
};

export type RecordedStatement = {
  label: string;
  text: string;
  plan: PlanNode;
  /** Size of the call: the total length of its arrays. Only calls of the same size can be compared. */
  size: number;
  /** Length of the call's longest array: the number of rows that the call was given. */
  rows: number;
  /** Whether the connection had run the SQL statement before. A first call also reads the database's catalog. */
  warm: boolean;
};

export type RecordingDatabase = {
  database: Database;
  /** Takes the SQL statements that ran since the last take. */
  take: () => RecordedStatement[];
};

/**
 * Settings of auto_explain, which only a superuser may load: the connection starts as one, then uses a process's role.
 */
const TELL_PLANS = [
  'session_preload_libraries=auto_explain',
  'auto_explain.log_min_duration=0',
  'auto_explain.log_analyze=on',
  'auto_explain.log_buffers=on',
  'auto_explain.log_timing=off',
  'auto_explain.log_format=json',
  'auto_explain.log_level=notice',
  'client_min_messages=notice',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');

const UNKNOWN = 'unknown';
const STACK_FRAMES = 60;
const FRAME = /at (?:async )?(?:Object\.)?(\w+) \(.*\/src\/([\w/-]+)\.ts/;
/**
 * Source files that only pass on SQL statements of other source files. Labels never name them, but the function that
 * calls them.
 */
const SENDERS = new Set(['db/database', 'db/guard-connection', 'db/preparing-pool', 'db/transaction', 'lib/batch']);
/** Names of manually written statements; those of the query builder have digests as names. */
const GIVEN_NAME = /^[a-z][a-z-]{3,40}$/;

/** Label of an SQL statement: its given name, or the function of our code that sends it. */
function labelOf(given: unknown): string {
  const name = typeof given === 'object' && given !== null && 'name' in given ? String(given.name) : '';
  if (GIVEN_NAME.test(name)) return name;
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = STACK_FRAMES;
  const stack = new Error('here').stack ?? '';
  Error.stackTraceLimit = limit;
  for (const line of stack.split('\n')) {
    const [, called, file] = FRAME.exec(line) ?? [];
    if (called !== undefined && file !== undefined && !SENDERS.has(file)) return `${file} ${called}`;
  }
  return UNKNOWN;
}

export function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** Rows that a node of a plan read and did not pass on. */
export function rowsInVain(node: PlanNode): number {
  const filtered = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0);
  return (filtered + (node['Rows Removed by Index Recheck'] ?? 0)) * node['Actual Loops'];
}

/** Pages that a plan touched, in memory or on disk. The numbers of a plan's node include the nodes below. */
export const buffersOf = (plan: PlanNode) => plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];

const textOf = (given: unknown) =>
  typeof given === 'object' && given !== null && 'text' in given ? String(given.text) : String(given);

/** Length of an array parameter, given as an array or as the text that is sent to the server. */
function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  if (typeof value !== 'string' || !/^\{.*\}$/s.test(value)) return 0;
  return value === '{}' ? 0 : value.split(',').length;
}

function valuesOf([first, second]: readonly unknown[]): readonly unknown[] {
  const inside = typeof first === 'object' && first !== null && 'values' in first ? first.values : second;
  return Array.isArray(inside) ? inside : [];
}

type Send = (...given: unknown[]) => unknown;

export function openRecordingDatabase(
  url: string,
  connections: number,
  role: ProcessRole = 'worker',
): RecordingDatabase {
  const told = new URL(url);
  told.searchParams.set('options', `${SESSION_SETTINGS} ${TELL_PLANS} -c role=${roleName(role)}`);
  const recorded: RecordedStatement[] = [];
  // Plans are matched to SQL statements by text: inside a transaction a plan comes only after the next SQL statement
  // was sent.
  const labels = new Map<string, string>();
  const note = (given: readonly unknown[]) => {
    const text = textOf(given[0]);
    if ((labels.get(text) ?? UNKNOWN) === UNKNOWN) labels.set(text, labelOf(given[0]));
    const sizes = valuesOf(given).map(sizeOf);
    return { text, size: sizes.reduce((sum, size) => sum + size, 0), rows: Math.max(0, ...sizes) };
  };
  const database = openPatiently({ url: told.href, connections, name: 'counterfoil-growth' });
  const { pool } = database;
  const sendByPool = pool.query.bind(pool) as unknown as Send;
  const queryPool: Send = (...given) => {
    note(given);
    return sendByPool(...given);
  };
  Object.assign(pool, { query: queryPool });
  pool.on('connect', (client: pg.PoolClient) => {
    const sent: ReturnType<typeof note>[] = [];
    const known = new Set<string>();
    const send = client.query.bind(client) as unknown as Send;
    const query: Send = (...given) => {
      sent.push(note(given));
      return send(...given);
    };
    Object.assign(client, { query });
    client.on('notice', ({ message }) => {
      if (!message?.startsWith('duration:')) return;
      type Told = { 'Query Text': string; Plan: PlanNode };
      const { 'Query Text': text, Plan: plan } = JSON.parse(message.slice(message.indexOf('{'))) as Told;
      const place = sent.findIndex((one) => one.text === text);
      const { size, rows } = sent[place] ?? { size: 0, rows: 0 };
      sent.splice(0, place + 1);
      recorded.push({ label: labels.get(text) ?? UNKNOWN, text, plan, size, rows, warm: known.has(text) });
      known.add(text);
    });
  });
  return { database, take: () => recorded.splice(0) };
}
