/** What steps did, and how it is printed. Everything here is pure. */

export type StepResult = {
  name: string;
  passed: boolean;
  seconds: number;
  /** Processor time of the step's own processes, without PostgreSQL. */
  processorSeconds: number;
  figures: Record<string, unknown>;
};

export type StageResult = { steps: StepResult[]; seconds: number; machineSeconds: number; stolenSeconds: number };

const MAX_FIGURES_LENGTH = 8_192;

/** Reads figures from a line of output: a JSON object that is no line of a log. */
export function parseFigures(line: string): Record<string, unknown> {
  if (!line.startsWith('{"') || line.length > MAX_FIGURES_LENGTH) return {};
  try {
    const parsed = JSON.parse(line) as Record<string, unknown>;
    return 'level' in parsed ? {} : parsed;
  } catch {
    return {};
  }
}

const row = (name: string, wall: string, processor: string, machine: string, stolen: string) =>
  `${name.padEnd(26)}${wall.padStart(8)}${processor.padStart(12)}${machine.padStart(10)}${stolen.padStart(10)}`.trimEnd();

/**
 * The table at the end of a run: wall and processor seconds of each step, and of each stage the processor seconds that the
 * whole machine used and that its host gave to other virtual machines.
 */
export function describeSeconds(results: readonly StageResult[]): string[] {
  const lines = results.flatMap(({ steps, machineSeconds, stolenSeconds }) =>
    steps.map(({ name, passed, seconds, processorSeconds }, index) =>
      row(
        `${passed ? '' : 'FAILED '}${name}`,
        `${seconds}`,
        `${processorSeconds}`,
        index === 0 ? `${machineSeconds}` : '',
        index === 0 ? `${stolenSeconds}` : '',
      ),
    ),
  );
  const total = (read: (result: StageResult) => number) => `${results.reduce((sum, result) => sum + read(result), 0)}`;
  const own = (result: StageResult) => result.steps.reduce((sum, step) => sum + step.processorSeconds, 0);
  return [
    row('step', 'wall s', 'processor s', 'machine s', 'stolen s'),
    ...lines,
    row(
      'all',
      total(({ seconds }) => seconds),
      total(own),
      total(({ machineSeconds }) => machineSeconds),
      total(({ stolenSeconds }) => stolenSeconds),
    ),
  ];
}
