import { z } from 'zod';
import type { LockedPackage } from './locked-packages.ts';

/** Known vulnerabilities of packages, as npm's registry publishes them. */

const URL_OF_ADVISORIES = 'https://registry.npmjs.org/-/npm/v1/security/advisories/bulk';
const TIMEOUT_MS = 60_000;

const answerForm = z.record(
  z.string(),
  z.array(
    z.object({
      url: z.url(),
      title: z.string(),
      severity: z.enum(['info', 'low', 'moderate', 'high', 'critical']),
      vulnerable_versions: z.string(),
    }),
  ),
);

type Advisory = { name: string; severity: string; title: string; url: string; versions: string; production: boolean };

export type Scan = { ran: false; reason: string } | { ran: true; advisories: Advisory[] };

export type Post = (
  url: string,
  options: { method: 'POST'; headers: Record<string, string>; body: string; signal: AbortSignal },
) => Promise<Response>;

async function readAnswer(packages: readonly LockedPackage[], post: Post): Promise<unknown> {
  const versions = Map.groupBy(packages, ({ name }) => name);
  const asked = Object.fromEntries([...versions].map(([name, all]) => [name, all.map(({ version }) => version)]));
  const answer = await post(URL_OF_ADVISORIES, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(asked),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!answer.ok) throw new Error(`the registry answers with ${answer.status}`);
  return answer.json();
}

/** Asks for the advisories of all packages. Where they cannot be read, the scan has not run: that is no result. */
export async function findAdvisories(packages: readonly LockedPackage[], post: Post): Promise<Scan> {
  const answer = await readAnswer(packages, post).catch((cause: unknown) => ({ cause }));
  if (typeof answer === 'object' && answer !== null && 'cause' in answer && answer.cause instanceof Error)
    return { ran: false, reason: answer.cause.message };
  const parsed = answerForm.safeParse(answer);
  if (!parsed.success) return { ran: false, reason: 'the registry answers in an unknown form' };
  const production = new Set(packages.filter((one) => one.production).map(({ name }) => name));
  const advisories = Object.entries(parsed.data).flatMap(([name, found]) =>
    found.map(({ severity, title, url, vulnerable_versions: versions }) => ({
      name,
      severity,
      title,
      url,
      versions,
      production: production.has(name),
    })),
  );
  return { ran: true, advisories };
}

/** Whether a scan stops a release: a vulnerability in what runs in production, above those of low severity. */
export const isRefused = (scan: Scan): boolean =>
  scan.ran && scan.advisories.some(({ production, severity }) => production && !['info', 'low'].includes(severity));

/** The lines that a scan prints. */
export function describeScan(scan: Scan, packages: number): string[] {
  if (!scan.ran) return [`Vulnerability scan: not run (${scan.reason}).`];
  const lines = scan.advisories.map(
    ({ name, severity, title, url, versions, production }) =>
      `${severity} ${production ? 'production' : 'development'} ${name} ${versions}: ${title} ${url}`,
  );
  return [...lines.toSorted(), `Vulnerability scan: ${packages} packages, ${lines.length} advisories.`];
}
