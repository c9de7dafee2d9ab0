import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { z } from 'zod';

/** Runs test suites in a copy of the work tree, and distinguishes a failed test from a suite that could not run. */

const RUN_TIMEOUT_MS = 600_000;
const MAX_COMPLAINT_CHARACTERS = 300;

const reportSchema = z.object({
  numPassedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(
        z.object({ ancestorTitles: z.array(z.string()), title: z.string(), status: z.string() }),
      ),
    }),
  ),
});

export type Verdict =
  | { kind: 'green'; passed: number }
  /** The first test that failed. */
  | { kind: 'failed'; test: string }
  /** Nothing was tested: a file did not load, a hook failed, or the run did not end. */
  | { kind: 'broken'; reason: string };

/** A test file under apps/server, and the text in the titles of the tests that are run. */
type Suite = { suite: string; test: string };

export type SuiteRun = { folder: string; suites: readonly Suite[]; workers: number };

const escape = (text: string) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);

/** Pattern of test titles, which applies to all files of a run together. */
const patternOf = (suites: readonly Suite[]) => [...new Set(suites.map(({ test }) => escape(test)))].join('|');

function judge(report: z.infer<typeof reportSchema>, exitCode: number | null, server: string): Verdict {
  for (const file of report.testResults) {
    const failed = file.assertionResults.find((one) => one.status === 'failed');
    if (failed && exitCode !== 0) {
      const titles = [...failed.ancestorTitles, failed.title].filter((title) => title !== '');
      return { kind: 'failed', test: [relative(server, file.name), ...titles].join(' > ') };
    }
  }
  const broken = report.testResults.find((file) => file.status === 'failed');
  if (broken) {
    const reason = `${relative(server, broken.name)} could not run: ${broken.message}`;
    return { kind: 'broken', reason: reason.slice(0, MAX_COMPLAINT_CHARACTERS) };
  }
  if (exitCode !== 0) return { kind: 'broken', reason: `the run ended with ${exitCode}, though no test failed` };
  if (report.numPassedTests === 0) return { kind: 'broken', reason: 'no test ran' };
  return { kind: 'green', passed: report.numPassedTests };
}

async function readReport(file: string): Promise<z.infer<typeof reportSchema> | undefined> {
  try {
    return reportSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined;
  }
}

export async function runSuites({ folder, suites, workers }: SuiteRun): Promise<Verdict> {
  const server = join(folder, 'apps/server');
  const results = await mkdtemp(join(tmpdir(), 'counterfoil-report-'));
  const reportFile = join(results, 'report.json');
  try {
    const parts = [
      join(folder, 'node_modules/vitest/vitest.mjs'),
      'run',
      ...new Set(suites.map(({ suite }) => suite)),
      `--testNamePattern=${patternOf(suites)}`,
      '--project=pure',
      '--project=engine',
      `--maxWorkers=${workers}`,
      '--bail=1',
      '--reporter=json',
      `--outputFile=${reportFile}`,
    ];
    const signal = AbortSignal.timeout(RUN_TIMEOUT_MS);
    const child = spawn(process.execPath, parts, { cwd: server, stdio: ['ignore', 'ignore', 'pipe'], signal });
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      complaint = (complaint + chunk).slice(-MAX_COMPLAINT_CHARACTERS);
    });
    await once(child, 'close').catch((cause: unknown) => {
      complaint = String(cause);
    });
    const report = await readReport(reportFile);
    if (!report) return { kind: 'broken', reason: `the run left no report: ${complaint.trim()}` };
    return judge(report, child.exitCode, server);
  } finally {
    await rm(results, { recursive: true, force: true });
  }
}
