import type { Context } from '../db/context.ts';
import type { FactsOf, MailData, MailTemplate } from './mail.ts';

/**
 * Gatherers find the facts of a mail at the moment of sending, one for each template; undefined when the mail is no
 * longer wanted. They belong to the folders that know people and merchants, and are handed in. A gatherer may be asked
 * again for the same mail, and draws new link tokens each time.
 */
export type Gatherers = {
  readonly [Template in MailTemplate]: (context: Context, data: MailData) => Promise<FactsOf<Template> | undefined>;
};
