import { describe, expect, test } from 'vitest';
import { ALARM_KINDS } from '../audit/alarm.ts';
import type { Alert } from './alert.ts';
import { ALERT_WORDS } from './alert-words.ts';
import { alertBody, renderAlertMail } from './alert-message.ts';

const ALERT: Alert = {
  id: 1n,
  kind: 'found-late',
  channel: 'email',
  phase: 'raised',
  hour: new Date('2026-11-19T10:00:00Z'),
  alarms: 7,
  subjects: ['TID-7', 'TID-6\nBcc: x'],
  createdAt: new Date('2026-11-19T10:20:00Z'),
};

describe('the email of an alert', () => {
  test('says what kind it is, what it means, what to do, how many alarms there are and where the runbook is', () => {
    const { subject, text, html } = renderAlertMail(ALERT, 'dashboard.example');
    expect(subject).toBe('Alarm: found-late (same day)');
    const { means, todo } = ALERT_WORDS['found-late'];
    const parts = [means, `What to do: ${todo}`, 'Kind: found-late', 'Urgency: Same day', 'Alarms: 7'];
    const rest = ['About: TID-7, TID-6 Bcc: x, and 5 more', 'docs/alarms.md#found-late', 'dashboard.example'];
    for (const part of [...parts, ...rest]) expect(text).toContain(part);
    expect(html).toContain('found-late');
  });

  test.each([
    ['found-late', 'Every alarm found-late was acknowledged.'],
    ['clock-wrong', 'The cause of the alarm clock-wrong is gone.'],
  ] as const)('says why %s is over', (kind, reason) => {
    const { subject, text } = renderAlertMail({ ...ALERT, kind, phase: 'over', alarms: 0, subjects: [] }, 'x.example');
    expect(subject).toBe(`Over: ${kind}`);
    expect(text).toContain(reason);
    expect(text).not.toContain('Alarms:');
  });

  test.each(ALARM_KINDS)('is short and complete for %s', (kind) => {
    const { text } = renderAlertMail({ ...ALERT, kind }, 'x.example');
    expect(text).toContain(ALERT_WORDS[kind].todo);
    expect(text.length).toBeLessThan(1_000);
  });
});

test('the body that is posted names the kind, its urgency, its count and what to do, under an id of kind, hour and phase', () => {
  expect(JSON.parse(alertBody(ALERT))).toEqual({
    event: 'alarm.raised',
    event_id: 'alarm_found-late_1795082400_raised',
    created_at: 1_795_083_600,
    kind: 'found-late',
    urgency: 'same-day',
    alarms: 7,
    subjects: ['TID-7', 'TID-6\nBcc: x'],
    ...ALERT_WORDS['found-late'],
    guide: 'docs/alarms.md#found-late',
  });
});
