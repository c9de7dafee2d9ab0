import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeScan, findAdvisories, isRefused } from './find-advisories.ts';
import { readLockedPackages } from './locked-packages.ts';

/**
 * Scans all packages of the lockfile for known vulnerabilities.
 *   pnpm scan              says "not run" where the registry's advisories cannot be read, and passes
 *   pnpm scan --required   fails there, for a release
 */

const LOCKFILE = join(import.meta.dirname, '../../../../pnpm-lock.yaml');

const packages = readLockedPackages(readFileSync(LOCKFILE, 'utf8'));
const scan = await findAdvisories(packages, fetch);
for (const line of describeScan(scan, packages.length)) console.log(line);
if (isRefused(scan) || (!scan.ran && process.argv.includes('--required'))) process.exitCode = 1;
