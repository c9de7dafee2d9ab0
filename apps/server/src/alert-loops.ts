import type { AlertSettings } from './config/read-alert-settings.ts';
import { channelsOf, sendAlert } from './alerts/send-alert.ts';
import { raiseAlerts } from './alerts/raise-alerts.ts';
import { systemClock } from './lib/clock.ts';
import { createOutbound } from './lib/outbound-http.ts';
import type { Sending } from './mail/send-mail.ts';
import type { WorkerLoop, WorkerParts } from './worker-loop.ts';

/** The loop of a worker that tells the operator of alarms. */

const ALERTS_IDLE_MS = 10_000;

type Alerting = { loops: WorkerLoop[]; close: () => Promise<void> };

export function createAlertLoops(
  { database, clock, log, pace }: WorkerParts,
  { email: to, webhook }: AlertSettings,
  sending: Sending | undefined,
): Alerting {
  // The operator chose the URL, as those of nodes: it may be in the operator's own network.
  const outbound = createOutbound({ clock: systemClock, allowPrivate: true });
  const receivers = {
    email: to && sending && { to, server: sending.server, transport: sending.transport },
    url: webhook && { ...webhook, outbound },
  };
  const channels = channelsOf(receivers);
  const body = async () => {
    await raiseAlerts({ database, clock, channels });
    return sendAlert({ database, clock, log, receivers });
  };
  const loops = channels.length > 0 ? [{ name: 'alerts', idleMs: ALERTS_IDLE_MS / pace, body }] : [];
  return { loops, close: () => outbound.close() };
}
