import type { ParsedFile } from '../read-files.ts';
import { lineAt } from '../read-files.ts';
import { knowFiles } from './flow.ts';
import { judgeChance } from './judge-chance.ts';
import { judgeConfig } from './judge-config.ts';
import { judgeLimits } from './judge-limits.ts';
import { judgeSql } from './judge-sql.ts';
import type { Fault } from './judge-time.ts';
import { judgeTime } from './judge-time.ts';
import { propagate } from './propagate.ts';
import { walk } from './tree.ts';

export type Violation = { path: string; line: number; rule: string };

/** Places where a clock, the date or chance decides, in files that are read together. */
export function findViolations(files: readonly ParsedFile[]): Violation[] {
  const knowledge = knowFiles(files);
  propagate(knowledge);
  return [...knowledge.files.values()].flatMap((at) => {
    const { path, text, program } = at.file;
    const faults: Fault[] = [];
    const place = { knowledge, at };
    walk(program, (node, parents) =>
      faults.push(
        ...judgeTime(place, node, parents),
        ...judgeSql(node),
        ...judgeChance(at, node, parents),
        ...judgeLimits(place, node),
        ...judgeConfig(place, node),
      ),
    );
    const found = faults.map(({ node, rule }) => ({ path, line: lineAt(text, node.start), rule }));
    const unique = new Map(found.map((one) => [`${one.line} ${one.rule}`, one]));
    return [...unique.values()].toSorted((left, right) => left.line - right.line);
  });
}
