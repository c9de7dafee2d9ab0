import { isPublicBase } from '../lib/plain-url.ts';
import type { MailServer } from '../mail/mail-server.ts';
import { parseMailServer } from '../mail/parse-mail-server.ts';

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
