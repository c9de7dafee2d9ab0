import type { Language } from '@counterfoil/core/language.ts';
import { call } from '../api/call.ts';
import { meQuery, queryClient } from '../api/queries.ts';
import { chooseLanguage } from '../language/language.ts';

/** Changes the language of app and emails. The page changes even if the server is unreachable. */
export async function chooseOwnLanguage(language: Language): Promise<void> {
  await chooseLanguage(language);
  await call('PUT /me/language', { body: { language } }).catch(() => {});
  await queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
}
