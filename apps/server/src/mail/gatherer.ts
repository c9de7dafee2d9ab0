import type { Context } from '../db/context.ts';
import type { MailAddress } from './mail-address.ts';
import type { FactsOf, MailData, MailTemplate } from './mail.ts';

/** The context of gatherers; links in mails begin with the dashboard's address. */
type GathererContext = Context & { dashboardUrl: string };

export type Gatherer<Template extends MailTemplate> = (
  context: GathererContext,
  data: MailData,
  to: MailAddress,
) => Promise<FactsOf<Template> | undefined>;

/**
 * Gatherers find the facts of a mail at the moment of sending, one for each template; undefined when the mail is no
 * longer wanted. They belong to the folders that know people and merchants, and are handed in. A gatherer may be asked
 * again for the same mail, and draws new link tokens each time. The address that the mail goes to is fixed when it is
 * queued: a gatherer of a mail that only its reader may have must compare it with the reader's present one.
 */
export type Gatherers = {
  readonly [Template in MailTemplate]: Gatherer<Template>;
};
