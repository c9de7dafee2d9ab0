import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { isPublicBase } from './lib/plain-url.ts';
import type { MailServer } from './mail/mail-server.ts';
import { parseMailServer } from './mail/parse-mail-server.ts';

/** Settings of mail, for processes that ask for mails or send them. */
export const mailEnvironment = {
  COUNTERFOIL_DASHBOARD_URL: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/{1,8}$/, ''))
    .optional(),
  COUNTERFOIL_MAIL_URL: z.string().optional(),
  COUNTERFOIL_MAIL_URL_FILE: z.string().optional(),
  COUNTERFOIL_MAIL_FROM: z.string().optional(),
};

type MailValues = z.output<z.ZodObject<typeof mailEnvironment>>;

/** The mail server, undefined when none is configured, and everything that is wrong with its settings. */
type MailConfig = { mailServer: MailServer | undefined; mailFaults: string[] };

const DASHBOARD_FAULT = 'COUNTERFOIL_DASHBOARD_URL: must be an https address without a user, a query or a fragment';

/** The address of the mail server, or the fault of the file that has it. */
function readMailUrl(url: string | undefined, path: string | undefined): { url?: string; fault?: string } {
  if (!path) return url ? { url } : {};
  if (url) return { fault: 'COUNTERFOIL_MAIL_URL_FILE: COUNTERFOIL_MAIL_URL is set too' };
  try {
    return { url: readFileSync(path, 'utf8').trim() };
  } catch {
    return { fault: 'COUNTERFOIL_MAIL_URL_FILE: cannot be read' };
  }
}

/** Reads the settings of mail; without the address of a mail server there is none, whatever else is set. */
export function readMailConfig(values: MailValues, production: boolean): MailConfig {
  const { COUNTERFOIL_DASHBOARD_URL: dashboardUrl, COUNTERFOIL_MAIL_FROM: from } = values;
  const { url, fault } = readMailUrl(values.COUNTERFOIL_MAIL_URL, values.COUNTERFOIL_MAIL_URL_FILE);
  const isWrongBase = production && dashboardUrl !== undefined && !isPublicBase(dashboardUrl);
  const faults = [...(isWrongBase ? [DASHBOARD_FAULT] : []), ...(fault === undefined ? [] : [fault])];
  if (url === undefined) return { mailServer: undefined, mailFaults: faults };
  const parsed = parseMailServer({ url, from, dashboardUrl, production });
  return { mailServer: parsed.server, mailFaults: [...faults, ...parsed.faults] };
}
