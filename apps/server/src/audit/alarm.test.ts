import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ALARM_KINDS, ALARMS, URGENCIES } from './alarm.ts';

const GUIDE = new URL('../../../../docs/alarms.md', import.meta.url);
const NAMES = { immediate: 'Immediate', 'same-day': 'Same day', routine: 'Routine' };
const ROW = /^\| \[`([a-z-]+)`\]\(#([a-z-]+)\) \| ([^|]+) \| ([^|]+) \|$/gm;
const rows = [...readFileSync(GUIDE, 'utf8').matchAll(ROW)];

test('every alarm kind has an urgency', () => {
  expect(ALARM_KINDS.filter((kind) => !URGENCIES.includes(ALARMS[kind].urgency))).toEqual([]);
});

test('the guide to alarms lists every kind once, with its urgency, the most urgent first', () => {
  const expected = URGENCIES.flatMap((urgency) =>
    ALARM_KINDS.filter((kind) => ALARMS[kind].urgency === urgency).map((kind) => [kind, kind, NAMES[urgency]]),
  );
  expect(rows.map(([, kind, anchor, urgency]) => [kind, anchor, urgency])).toEqual(expected);
});

test('the guide to alarms says of events that they are over when acknowledged, and of states when their cause is gone', () => {
  const acknowledged = rows.filter(([, , , , over]) => over === 'acknowledged').map(([, kind]) => kind);
  expect(new Set(acknowledged)).toEqual(new Set(ALARM_KINDS.filter((kind) => ALARMS[kind].nature === 'event')));
});
