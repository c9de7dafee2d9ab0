import type { Gatherer } from '../mail/gatherer.ts';
import { readViewFacts } from './operator-view-sql.ts';

export const gatherOperatorView: Gatherer<'operator-view'> = ({ database }, { view = '' }) =>
  readViewFacts(database.queries, view);
