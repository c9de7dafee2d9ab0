import type { AlarmKind } from '../audit/alarm.ts';
import { ALARMS } from '../audit/alarm.ts';
import { unixSeconds } from '../lib/clock.ts';
import { mail, paragraph, rows, small } from '../mail/mail-content.ts';
import { renderHtml } from '../mail/render-html.ts';
import type { RenderedMail } from '../mail/render-mail.ts';
import { renderText } from '../mail/render-text.ts';
import { flatten } from '../mail/show-fact.ts';
import type { Alert } from './alert.ts';
import { ALERT_WORDS } from './alert-words.ts';

/** Alerts as they are sent. Pure. */

const URGENCY_NAMES = { immediate: 'Immediate', 'same-day': 'Same day', routine: 'Routine' } as const;
const MAX_SUBJECT_CHARACTERS = 120;

const guideOf = (kind: AlarmKind) => `docs/alarms.md#${kind}`;

/** The id of an alert, the same at every attempt and unique for its kind, hour and phase. */
export function alertId({ kind, phase, hour }: Pick<Alert, 'kind' | 'phase' | 'hour'>): string {
  return `alarm_${kind}_${unixSeconds(hour)}_${phase}`;
}

function overReason(kind: AlarmKind): string {
  return ALARMS[kind].nature === 'state'
    ? `The cause of the alarm ${kind} is gone.`
    : `Every alarm ${kind} was acknowledged.`;
}

/** Renders the email of an alert. */
export function renderAlertMail(alert: Alert, host: string): RenderedMail {
  const { kind, phase, alarms, subjects, createdAt } = alert;
  const { means, todo } = ALERT_WORDS[kind];
  const urgency = URGENCY_NAMES[ALARMS[kind].urgency];
  const about = subjects.map((subject) => flatten(subject, MAX_SUBJECT_CHARACTERS)).join(', ');
  const more = alarms > subjects.length ? `, and ${alarms - subjects.length} more` : '';
  const facts = [
    ['Kind', kind],
    ['Urgency', urgency],
    ...(phase === 'raised' ? [['Alarms', String(alarms)] as const, ['About', `${about}${more}`] as const] : []),
    ['Time', createdAt.toISOString()],
  ] as const;
  const footer = [small(`Runbook: ${guideOf(kind)}`), small(`Counterfoil · ${host}`)];
  const content =
    phase === 'raised'
      ? mail(
          `Alarm: ${kind} (${urgency.toLowerCase()})`,
          paragraph(means),
          rows(...facts),
          paragraph(`What to do: ${todo}`),
        )
      : mail(`Over: ${kind}`, paragraph(overReason(kind)), rows(...facts));
  const blocks = [...content.blocks, ...footer];
  return { subject: content.subject, text: renderText(blocks), html: renderHtml(content.subject, blocks, 'en') };
}

/** The body that is posted for an alert. */
export function alertBody(alert: Alert): string {
  const { kind, phase, alarms, subjects, createdAt } = alert;
  return JSON.stringify({
    event: `alarm.${phase}`,
    event_id: alertId(alert),
    created_at: unixSeconds(createdAt),
    kind,
    urgency: ALARMS[kind].urgency,
    ...(phase === 'raised' && { alarms, subjects, ...ALERT_WORDS[kind] }),
    ...(phase === 'over' && { means: overReason(kind) }),
    guide: guideOf(kind),
  });
}
