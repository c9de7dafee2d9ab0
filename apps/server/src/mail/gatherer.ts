import type { Context } from '../db/context.ts';
import type { MailAddress } from './mail-address.ts';
import type { FactsOf, MailData, MailTemplate } from './mail.ts';

type GathererContext = Context & { dashboardUrl: string };

export type Gatherer<Template extends MailTemplate> = (
  context: GathererContext,
  data: MailData,
  to: MailAddress,
) => Promise<FactsOf<Template> | undefined>;

/**
 * Data loaders find an email's data when it is sent, by template; undefined when it is no longer needed. They belong to
 * the folders of people and merchants, and are injected. A loader may run again for the same email, with new link
 * tokens. The email's address is fixed when queued: a loader for its reader only must compare it with their present
 * address.
 */
export type Gatherers = {
  readonly [Template in MailTemplate]: Gatherer<Template>;
};
