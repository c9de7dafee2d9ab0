import type { MailAddress } from '../mail/mail-address.ts';
import { parseMailAddress } from '../mail/mail-address.ts';
import type { Variables } from './setting.ts';

/** Where alerts go; undefined where not configured. */
export type AlertSettings = {
  email: MailAddress | undefined;
  webhook: { url: string; secret: string } | undefined;
};

type AlertValues = {
  COUNTERFOIL_ALARM_EMAIL?: string | undefined;
  COUNTERFOIL_ALARM_URL?: string | undefined;
  COUNTERFOIL_ALARM_SECRET?: string | undefined;
};

type AlertConfig = { alerts: AlertSettings; alertFaults: string[] };

/** Reads the settings of alerts, and finds missing ones. */
export function readAlertSettings(values: AlertValues, given: Variables): AlertConfig {
  const { COUNTERFOIL_ALARM_EMAIL: mail, COUNTERFOIL_ALARM_URL: url, COUNTERFOIL_ALARM_SECRET: secret } = values;
  const email = mail === undefined ? undefined : parseMailAddress(mail);
  const faults = [
    ...(mail !== undefined && !given['COUNTERFOIL_MAIL_URL']
      ? ['COUNTERFOIL_ALARM_EMAIL: needs a mail server (COUNTERFOIL_MAIL_URL)']
      : []),
    ...(url !== undefined && !given['COUNTERFOIL_ALARM_SECRET']
      ? ['COUNTERFOIL_ALARM_SECRET: is required with COUNTERFOIL_ALARM_URL']
      : []),
  ];
  const webhook = url !== undefined && secret !== undefined ? { url, secret } : undefined;
  return { alerts: { email, webhook }, alertFaults: faults };
}
