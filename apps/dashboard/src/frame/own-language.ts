import { call } from '../api/call.ts';
import { meQuery, queryClient } from '../api/queries.ts';
import type { Language } from '../language/language.ts';
import { chooseLanguage } from '../language/language.ts';

/** Shows the app in another language, and has mails written in it. The page has changed even where the server is away. */
export async function chooseOwnLanguage(language: Language): Promise<void> {
  await chooseLanguage(language);
  await call('PUT /me/language', { body: { language } }).catch(() => {});
  await queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
}
