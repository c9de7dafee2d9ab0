import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from '../../apps/checkout/preview/browser.ts';
import { launchBrowser } from '../../apps/checkout/preview/browser.ts';

/**
 * Chromium with a home of its own, in whose store of certificates one authority is trusted: certificates are checked as
 * everywhere, and errors in them stop the browser.
 */

const SUFFIX = '*.counterfoil.test';
const LOOPBACK = '127.0.0.1';

function trustIn(home: string, rootCertificate: string): void {
  const store = join(home, '.pki/nssdb');
  const file = join(home, 'root.pem');
  mkdirSync(store, { recursive: true });
  writeFileSync(file, rootCertificate);
  // Of Debian's package libnss3-tools.
  execFileSync('certutil', ['-N', '--empty-password', '-d', `sql:${store}`]);
  execFileSync('certutil', ['-A', '-n', 'root of a test', '-t', 'C,,', '-i', file, '-d', `sql:${store}`]);
}

export type TrustingBrowser = { browser: Browser; close(): Promise<void> };

/** Launches Chromium; without an authority it trusts only those that it came with. */
export async function launchTrustingBrowser(rootCertificate?: string): Promise<TrustingBrowser> {
  const home = mkdtempSync(join(tmpdir(), 'counterfoil-home-'));
  if (rootCertificate !== undefined) trustIn(home, rootCertificate);
  const browser = await launchBrowser({ home, flags: [`--host-resolver-rules=MAP ${SUFFIX} ${LOOPBACK}`] });
  const close = async () => {
    await browser.close();
    rmSync(home, { recursive: true });
  };
  return { browser, close };
}
