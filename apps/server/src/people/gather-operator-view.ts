import type { Gatherer } from '../mail/gatherer.ts';
import { readViewFacts } from './operator-view-sql.ts';

/** Facts of the mail that tells owners who looks at their merchant. */
export const gatherOperatorView: Gatherer<'operator-view'> = ({ database }, { view = '' }) =>
  readViewFacts(database.queries, view);
