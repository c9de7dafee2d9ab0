import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Certificate of a mail server on this machine, which is its own authority; `path` is the file that has it. */
export type MailCertificate = { key: string; certificate: string; path: string; remove(): Promise<void> };

const run = promisify(execFile);

export async function makeMailCertificate(host = 'localhost'): Promise<MailCertificate> {
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-mail-'));
  const [keyPath, path] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const subject = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  await run('openssl', ['req', '-x509', ...kind, '-keyout', keyPath, '-out', path, ...subject]);
  return {
    key: await readFile(keyPath, 'utf8'),
    certificate: await readFile(path, 'utf8'),
    path,
    remove: () => rm(folder, { recursive: true }),
  };
}
