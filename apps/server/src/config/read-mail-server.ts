import { isPublicBase } from '../lib/plain-url.ts';
import type { MailServer } from '../mail/mail-server.ts';
import { parseMailServer } from '../mail/parse-mail-server.ts';
import type { Variables } from './setting.ts';
import { FILE_END } from './setting.ts';

type MailValues = {
  COUNTERFOIL_DASHBOARD_URL?: string | undefined;
  COUNTERFOIL_MAIL_URL?: string | undefined;
  COUNTERFOIL_MAIL_FROM?: string | undefined;
};

/** The mail server, undefined when none is configured, and everything that is wrong with its settings. */
type MailConfig = { mailServer: MailServer | undefined; mailFaults: string[] };

const DASHBOARD_FAULT = 'COUNTERFOIL_DASHBOARD_URL: must be an https address without a user, a query or a fragment';

/** Reads the settings of mail; without the address of a mail server there is none, whatever else is set. */
export function readMailServer(values: MailValues, production: boolean): MailConfig {
  const { COUNTERFOIL_DASHBOARD_URL: dashboardUrl, COUNTERFOIL_MAIL_FROM: from, COUNTERFOIL_MAIL_URL: url } = values;
  const isWrongBase = production && dashboardUrl !== undefined && !isPublicBase(dashboardUrl);
  const faults = isWrongBase ? [DASHBOARD_FAULT] : [];
  if (!url) return { mailServer: undefined, mailFaults: faults };
  const parsed = parseMailServer({ url, from, dashboardUrl, production });
  return { mailServer: parsed.server, mailFaults: [...faults, ...parsed.faults] };
}

const MAIL_NAME = 'COUNTERFOIL_MAIL_URL';
const REGISTRATION_FAULT = `COUNTERFOIL_REGISTRATION: open needs a mail server (${MAIL_NAME}), invited does not`;

/** Finds that whoever signs up would wait for a mail that nobody sends. */
export function findRegistrationFaults(policy: string | undefined, variables: Variables): string[] {
  const hasMail = !!variables[MAIL_NAME] || !!variables[`${MAIL_NAME}${FILE_END}`];
  return policy === 'open' && !hasMail ? [REGISTRATION_FAULT] : [];
}
