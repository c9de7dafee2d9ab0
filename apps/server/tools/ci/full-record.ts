import type { StepResult } from './step-result.ts';

/** The committed record of the full run, .ci/full.json. Everything here is pure. */

type RecordedStep = {
  commit: string;
  tree: string;
  passed: boolean;
  seconds: number;
  processorSeconds: number;
  figures: Record<string, unknown>;
};

export type FullRecord = {
  /** Commit and tree of the newest run. The tree leaves this file out, so that committing it changes nothing. */
  commit: string;
  tree: string;
  /** `passed` when every step has passed on this tree. */
  result: 'passed' | 'failed' | 'incomplete';
  /** Mode of `pnpm rough` in the newest run; the next run takes the next one. */
  roughMode: string;
  steps: Record<string, RecordedStep>;
  /** Steps that ran at their real size, without `--quick`. */
  real: Record<string, RecordedStep>;
};

type Version = { commit: string; tree: string };

export const ROUGH_MODES = ['burn', 'stutter', 'fast', 'at', 'delay'] as const;

/** The mode that follows in a fixed order. */
export function nextRoughMode(last: string | undefined): string {
  const index = ROUGH_MODES.findIndex((mode) => mode === last);
  return ROUGH_MODES[(index + 1) % ROUGH_MODES.length] ?? ROUGH_MODES[0];
}

/** Steps that have not passed on this tree yet. */
export function stepsLeft(record: FullRecord | undefined, tree: string, names: readonly string[]): string[] {
  return names.filter((name) => {
    const step = record?.steps[name];
    return !step?.passed || step.tree !== tree;
  });
}

function resultOf(record: FullRecord, names: readonly string[]): FullRecord['result'] {
  const here = names.map((name) => record.steps[name]).filter((step) => step?.tree === record.tree);
  if (here.some((step) => !step?.passed)) return 'failed';
  return here.length === names.length ? 'passed' : 'incomplete';
}

/** Adds what a step did, and judges the whole again. Results of steps that no longer exist are dropped. */
export function addResult(
  record: FullRecord | undefined,
  { version, names, real }: { version: Version; names: readonly string[]; real: boolean },
  { name, passed, seconds, processorSeconds, figures }: StepResult,
): FullRecord {
  const recorded = { ...version, passed, seconds, processorSeconds, figures };
  const known = Object.entries(record?.steps ?? {}).filter(([one]) => names.includes(one));
  const next: FullRecord = {
    ...version,
    result: 'incomplete',
    roughMode: record?.roughMode ?? '',
    steps: { ...Object.fromEntries(known), ...(!real && { [name]: recorded }) },
    real: { ...record?.real, ...(real && { [name]: recorded }) },
  };
  return { ...next, result: resultOf(next, names) };
}

/** What the gate prints about the full run; `warning` asks for attention, and fails nothing. */
export function describeRecord(
  record: FullRecord | undefined,
  { commitsSince, names }: { commitsSince: number | undefined; names: readonly string[] },
): { warning: boolean; text: string } {
  if (!record) return { warning: true, text: 'There is no record of a full run: run .ci/full.' };
  const short = record.commit.slice(0, 8);
  if (commitsSince === undefined) {
    return { warning: true, text: `The last full run is of ${short}, which is not an ancestor of this commit.` };
  }
  const behind = `The last full run is of ${short}, ${commitsSince} commits ago`;
  const missing = names.filter((name) => record.steps[name] === undefined);
  const failed = names.filter((name) => record.steps[name]?.passed === false);
  const older = names.filter((name) => record.steps[name] && record.steps[name].tree !== record.tree);
  const parts = [
    ...(missing.length > 0 ? [`never ran: ${missing.join(', ')}`] : []),
    ...(failed.length > 0 ? [`failed: ${failed.join(', ')}`] : []),
    ...(older.length > 0 ? [`passed on an earlier commit: ${older.join(', ')}`] : []),
  ];
  if (parts.length === 0) return { warning: false, text: `${behind}; every step passed.` };
  return { warning: missing.length + failed.length > 0, text: `${behind}; ${parts.join('; ')}.` };
}
