import type { AlertSettings } from './config/read-alert-settings.ts';
import type { AlertChannel } from './alerts/alert.ts';
import type { AlertReceivers } from './alerts/send-alert.ts';
import { channelsOf, sendAlert } from './alerts/send-alert.ts';
import { raiseAlerts } from './alerts/raise-alerts.ts';
import { sendHeartbeat } from './http/send-heartbeat.ts';
import { steadyClock, systemClock } from './lib/clock.ts';
import { createOutbound } from './lib/outbound-http.ts';
import type { Sending } from './mail/send-mail.ts';
import type { WorkerLoop, WorkerParts } from './worker-loop.ts';

/** Worker loops that notify the operator of alarms and call the heartbeat URL. */

const ALERTS_IDLE_MS = 10_000;
/** Pause of the loop that sends a heartbeat every minute; most of its runs find that none is due. */
const HEARTBEAT_IDLE_MS = 1_000;

type Alerting = { loops: WorkerLoop[]; close: () => Promise<void> };

const only = ({ email, url }: AlertReceivers, channel: AlertChannel): AlertReceivers =>
  channel === 'email' ? { email } : { url };

/** One loop for each channel that is configured, so that a receiver that answers slowly delays no other channel. */
export function createAlertLoops(
  { database, clock, log, pace }: Pick<WorkerParts, 'database' | 'clock' | 'log' | 'pace'>,
  { email: to, webhook }: AlertSettings,
  sending: Pick<Sending, 'server' | 'transport'> | undefined,
): Alerting {
  // The operator chose the URL, as those of nodes: it may be in the operator's own network.
  const outbound = createOutbound({ clock: systemClock, allowPrivate: true });
  const receivers: AlertReceivers = {
    email: to && sending && { to, server: sending.server, transport: sending.transport },
    url: webhook && { ...webhook, outbound },
  };
  const channels = channelsOf(receivers);
  const loops = channels.map((channel) => ({
    name: `alerts ${channel}`,
    idleMs: ALERTS_IDLE_MS / pace,
    body: async () => {
      await raiseAlerts({ database, clock, channels });
      return sendAlert({ database, clock, log, receivers: only(receivers, channel) });
    },
  }));
  return { loops, close: () => outbound.close() };
}

/** Loops that call the heartbeat URL, if there is one; `hanging` names the loops that show no sign of life. */
export function createHeartbeatLoops(
  { database, log }: WorkerParts,
  url: string | undefined,
  hanging: () => readonly string[],
): Alerting {
  // The operator chose the URL, as those of nodes: it may be in the operator's own network.
  const outbound = createOutbound({ clock: systemClock, allowPrivate: true });
  const loopsOf = (called: string): WorkerLoop[] => {
    const memory = { dueMs: 0 };
    const context = { url: called, clock: steadyClock, pool: database.pool, outbound, hanging, log, memory };
    const body = async () => {
      await sendHeartbeat(context);
      return false;
    };
    return [{ name: 'heartbeat', idleMs: HEARTBEAT_IDLE_MS, body }];
  };
  return { loops: url === undefined ? [] : loopsOf(url), close: () => outbound.close() };
}
