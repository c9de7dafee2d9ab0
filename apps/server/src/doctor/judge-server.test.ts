import { describe, expect, test } from 'vitest';
import type { AlarmKind } from '../audit/alarm.ts';
import { judgeAlarms } from './judge-alarms.ts';
import { judgeArchiving } from './judge-archiving.ts';
import { judgeConnections } from './judge-connections.ts';
import { judgeDurability } from './judge-durability.ts';
import { judgeSlots } from './judge-slots.ts';
import { judgeStandbys } from './judge-standbys.ts';

/** What the doctor says of facts that a test server has not, or not easily. */

const GIGABYTE = 1_073_741_824n;
const slot = { name: 'replica', isActive: true, isLost: false, keptBytes: 0n, isLimited: false };

describe('replication slots', () => {
  test.each([
    ['a slot that is read', {}, 'fine'],
    ['a slot whose standby is a little behind', { keptBytes: GIGABYTE }, 'fine'],
    ['a slot whose standby is far behind', { keptBytes: 3n * GIGABYTE }, 'doubtful'],
    ['a slot that nobody reads', { isActive: false }, 'wrong'],
    ['a bounded slot that nobody reads', { isActive: false, isLimited: true }, 'doubtful'],
    ['a slot that has lost its log', { isActive: false, isLost: true }, 'doubtful'],
    ['a slot that reserves nothing yet', { isActive: false, keptBytes: null }, 'fine'],
  ])('%s', (_title, change, state) => {
    expect(judgeSlots([slot, { ...slot, ...change }]).map((finding) => finding.state)).toEqual([state]);
  });

  test('no slot at all is fine', () => {
    expect(judgeSlots([])).toMatchObject([{ state: 'fine' }]);
  });
});

describe('synchronous standbys', () => {
  test.each([
    ['', [], 'fine'],
    ['one', [], 'wrong'],
    ['one', ['one'], 'fine'],
    ['one, two', ['two'], 'fine'],
    ['"one"', ['ONE'], 'fine'],
    ['one', ['two'], 'wrong'],
    ['*', ['walreceiver'], 'fine'],
    ['*', ['pg_basebackup'], 'wrong'],
    ['FIRST 2 (one, two, three)', ['one'], 'wrong'],
    ['FIRST 2 (one, two, three)', ['one', 'three'], 'fine'],
    ['any 2 (one, two)', ['one', 'two'], 'fine'],
    ['2 (one,two)', ['one'], 'wrong'],
    ['ANY 1 (*)', ['anything'], 'fine'],
  ])('%j with %j connected is %s', (names, connected, state) => {
    expect(judgeStandbys({ names, connected }).state).toBe(state);
  });
});

const at = (seconds: number) => new Date(1_794_700_000_000 + seconds * 1_000);

describe('archiving', () => {
  const facts = { isOn: true, hasWay: true, failures: 0, failedFile: null, failedAt: null, archivedAt: null };

  test.each([
    ['is off', { isOn: false }, 'fine'],
    ['has nothing to archive yet', {}, 'fine'],
    ['has no command', { hasWay: false }, 'wrong'],
    ['has never succeeded', { failedAt: at(0), failures: 3 }, 'wrong'],
    ['fails since its last success', { failedAt: at(1), archivedAt: at(0), failures: 3 }, 'wrong'],
    ['succeeded after its last failure', { failedAt: at(0), archivedAt: at(1), failures: 3 }, 'fine'],
  ])('that %s', (_title, change, state) => {
    expect(judgeArchiving({ ...facts, ...change }).state).toBe(state);
  });
});

describe('connections', () => {
  const plan = { perProcess: 10, budget: undefined, workers: 0, dashboards: 0 };
  const facts = { usable: 97, used: 10 };

  test.each([
    ['two APIs, a worker and a dashboard server', {}, { usable: 55 }, 'fine'],
    ['two APIs, a worker and a dashboard server that do not fit', {}, { usable: 54 }, 'wrong'],
    ['three workers and two dashboard servers that run', { workers: 3, dashboards: 2 }, {}, 'fine'],
    ['four workers and two dashboard servers that run', { workers: 4, dashboards: 2 }, {}, 'wrong'],
    ['a budget that fits, whatever runs', { budget: 92, workers: 50 }, {}, 'fine'],
    ['a budget that leaves too few for commands', { budget: 93 }, {}, 'wrong'],
    ['a server whose connections are nearly used up', {}, { used: 88 }, 'doubtful'],
  ])('%s', (_title, planned, found, state) => {
    expect(judgeConnections({ ...facts, ...found }, { ...plan, ...planned }).state).toBe(state);
  });
});

describe('durability', () => {
  test.each([
    ['everything on', { off: [], unsafeRoles: [] }, ['fine']],
    ['two settings off', { off: ['fsync', 'full_page_writes'], unsafeRoles: [] }, ['wrong', 'wrong']],
    ['autovacuum off', { off: ['autovacuum'], unsafeRoles: [] }, ['doubtful']],
    ['a role that does not wait', { off: [], unsafeRoles: ['counterfoil_worker'] }, ['wrong']],
  ])('%s', (_title, facts, states) => {
    expect(judgeDurability(facts).map(({ state }) => state)).toEqual(states);
  });

  test.each(['fsync', 'full_page_writes', 'synchronous_commit', 'autovacuum'])(
    'of %s is restored by a command that also undoes what alter system set',
    (name) => {
      expect(judgeDurability({ off: [name], unsafeRoles: [] })[0]?.mend).toContain(`alter system set ${name} = on`);
    },
  );
});

describe('alarms', () => {
  test.each<[string, Partial<Record<AlarmKind, number>>, string]>([
    ['none', {}, 'fine'],
    ['one that is not about payments', { 'single-provider': 1, 'doctor-found': 2 }, 'fine'],
    ['one about a single payment', { 'found-late': 1 }, 'doubtful'],
    ['one that stops payments', { 'payment-reverted': 1, 'found-late': 2 }, 'wrong'],
    ['one whose count is zero', { 'payment-reverted': 0 }, 'fine'],
  ])('%s', (_title, counts, state) => {
    const listed = Object.entries(counts).map(([kind, alarms]) => ({ kind: kind as AlarmKind, alarms }));
    expect(judgeAlarms(listed).state).toBe(state);
  });
});
