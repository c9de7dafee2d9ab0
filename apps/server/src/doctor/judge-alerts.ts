import type { ChannelFacts } from '../alerts/alert-sql.ts';
import type { Finding } from './finding.ts';
import { fine, wrong } from './finding.ts';

const CHECK = 'alerts';
/** Failed attempts, within seven minutes, after which a channel is more than busy. */
const MANY_ATTEMPTS = 4;
const MAX_REASON = 200;
const SETTINGS = { email: 'COUNTERFOIL_ALARM_EMAIL and the mail server', url: 'COUNTERFOIL_ALARM_URL' } as const;

const isBroken = ({ lastState, mostAttempts }: ChannelFacts) => lastState === 'failed' || mostAttempts >= MANY_ATTEMPTS;

function judgeChannel({ channel, lastError }: ChannelFacts): Finding {
  const reason = lastError === null ? '' : `: ${lastError.replaceAll(/\s+/g, ' ').slice(0, MAX_REASON)}`;
  return wrong(
    CHECK,
    `Alerts by ${channel === 'url' ? 'URL' : channel} do not arrive${reason}`,
    `Check ${SETTINGS[channel]} of the workers. The next alert that arrives ends this finding.`,
  );
}

/** Judges whether alerts arrive, by the last ones of each channel. Pure. */
export function judgeAlerts(channels: readonly ChannelFacts[]): Finding[] {
  const broken = channels.filter(isBroken);
  return broken.length > 0 ? broken.map(judgeChannel) : [fine(CHECK, 'No alert of the last days failed to arrive.')];
}
