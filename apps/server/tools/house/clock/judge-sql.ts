import type { Node } from 'oxc-parser';
import type { Fault } from './judge-time.ts';

/** Finds statements that measure time by the database's clock. */

const NOW = String.raw`\b(?:clock_timestamp|statement_timestamp|transaction_timestamp|now)\(\)`;
/** Columns that hold a time. */
const TIME = String.raw`[\w.]*(?:_at|_on|_from|_until|_after|\bat|time|since)\b`;
const DURATION = String.raw`(?:interval|make_interval|\$\d)`;
/** `due_at - now()` and `now() - started_at`. */
const MEASURED = new RegExp(String.raw`${TIME}\s*-\s*${NOW}|${NOW}\s*-\s*${TIME}`);
/** `at > now() - interval '1 minute'` and `at < now() + interval '1 minute'`: less than a minute passes. */
const BOUNDED = new RegExp(String.raw`>=?\s*${NOW}\s*-\s*${DURATION}|<=?\s*${NOW}\s*\+\s*${DURATION}`);

function textOf(node: Node): string | undefined {
  if (node.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.raw).join('?');
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined;
}

export function judgeSql(node: Node): Fault[] {
  const text = textOf(node);
  if (text === undefined) return [];
  if (MEASURED.test(text)) return [{ node, rule: 'time measured in SQL' }];
  const isPlanted = /\b(insert into|update)\b/.test(text);
  return !isPlanted && BOUNDED.test(text) ? [{ node, rule: 'upper bound on elapsed time in SQL' }] : [];
}
