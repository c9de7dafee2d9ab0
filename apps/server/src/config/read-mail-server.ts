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

/** The mail server, if configured, and all faults of its settings. */
type MailConfig = { mailServer: MailServer | undefined; mailFaults: string[] };

const DASHBOARD_FAULT = 'COUNTERFOIL_DASHBOARD_URL: must be an https address without a user, a query or a fragment';

/** Without the URL of a mail server there is none, regardless of other settings. */
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

/** Open registration without email: a new user would wait for an email that is never sent. */
export function findRegistrationFaults(policy: string | undefined, variables: Variables): string[] {
  const hasMail = !!variables[MAIL_NAME] || !!variables[`${MAIL_NAME}${FILE_END}`];
  return policy === 'open' && !hasMail ? [REGISTRATION_FAULT] : [];
}
