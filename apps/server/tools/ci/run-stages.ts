import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { StageResult, StepResult } from './step-result.ts';
import { parseFigures } from './step-result.ts';
import type { Stage, Step } from './step.ts';
import { findStep } from './step.ts';

type StageContext = {
  signal: AbortSignal;
  /** Arguments and environment of a step in this run. */
  prepare: (step: Step) => { command: readonly string[]; environment: Readonly<Record<string, string>> };
  onResult: (result: StepResult) => Promise<void>;
};

const TICKS_PER_SECOND = 100;

function readProcFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Processor seconds of all children that have ended, with theirs; 0 where there is no /proc. */
function readChildrenSeconds(): number {
  const fields = readProcFile('/proc/self/stat')?.split(') ')[1]?.split(' ') ?? [];
  // Fields 16 and 17 of proc(5), the first two being cut off.
  return (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) / TICKS_PER_SECOND;
}

type MachineSeconds = { busy: number; stolen: number };

/** Processor seconds of the whole machine since it started: those that it used, and those that its host gave to others. */
function readMachineSeconds(): MachineSeconds {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = (
    readProcFile('/proc/stat')?.split('\n')[0]?.split(/\s+/).slice(1) ?? []
  ).map(Number);
  return { busy: (user + nice + system + irq + softirq) / TICKS_PER_SECOND, stolen: steal / TICKS_PER_SECOND };
}

async function copyLines(input: Readable, output: NodeJS.WriteStream, prefix: string, figures: object): Promise<void> {
  for await (const line of createInterface({ input })) {
    Object.assign(figures, parseFigures(line));
    output.write(`${prefix}${line}\n`);
  }
}

async function runStep(name: string, prefix: string, { signal, prepare }: StageContext): Promise<StepResult> {
  const { command, environment } = prepare(findStep(name));
  const set = Object.entries(environment).map(([key, value]) => `${key}=${value} `);
  console.log(`${prefix}==> ${set.join('')}pnpm ${command.join(' ')}`);
  const started = performance.now();
  const before = readChildrenSeconds();
  const child = spawn('pnpm', command, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGTERM',
  });
  const figures = {};
  const copied = [
    copyLines(child.stdout, process.stdout, prefix, figures),
    copyLines(child.stderr, process.stderr, prefix, {}),
  ];
  const [code] = (await once(child, 'exit').catch(() => [null])) as [number | null];
  const processorSeconds = readChildrenSeconds() - before;
  await Promise.all(copied);
  const seconds = (performance.now() - started) / 1000;
  return {
    name,
    passed: code === 0,
    seconds: Math.round(seconds),
    processorSeconds: Math.round(processorSeconds),
    figures,
  };
}

/** Runs the lanes of a stage side by side. After a failure no further step starts. */
async function runStage(stage: Stage, context: StageContext): Promise<StageResult> {
  const started = performance.now();
  const before = readMachineSeconds();
  const steps: StepResult[] = [];
  await Promise.all(
    stage.map(async (lane) => {
      for (const name of lane) {
        if (context.signal.aborted || steps.some(({ passed }) => !passed)) return;
        const result = await runStep(name, stage.length > 1 ? `[${name}] ` : '', context);
        steps.push(result);
        await context.onResult(result);
      }
    }),
  );
  const after = readMachineSeconds();
  return {
    steps,
    seconds: Math.round((performance.now() - started) / 1000),
    machineSeconds: Math.round(after.busy - before.busy),
    stolenSeconds: Math.round(after.stolen - before.stolen),
  };
}

/** Runs stages in order, and stops at the first failure unless `continue` is set. */
export async function runStages(
  stages: readonly Stage[],
  context: StageContext & { continueAfterFailure: boolean },
): Promise<StageResult[]> {
  const results: StageResult[] = [];
  for (const stage of stages) {
    if (context.signal.aborted) break;
    const result = await runStage(stage, context);
    results.push(result);
    if (!context.continueAfterFailure && result.steps.some(({ passed }) => !passed)) break;
  }
  return results;
}
