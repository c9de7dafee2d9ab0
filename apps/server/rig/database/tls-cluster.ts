import { execFile } from 'node:child_process';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { PasswordCluster } from './password-cluster.ts';
import { idOf, startPasswordCluster } from './password-cluster.ts';

/** A PostgreSQL server that offers TLS, with a certificate for the host name `localhost` and no IP address. */
export type TlsCluster = PasswordCluster & {
  /** File with the root certificate of the authority that signed the server's certificate. */
  authority: string;
  /** File with the root certificate of another authority. */
  otherAuthority: string;
};

const HOST_NAME = 'localhost';
const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

const run = promisify(execFile);

async function makeAuthority(folder: string, name: string): Promise<string> {
  const path = join(folder, `${name}.pem`);
  const files = ['-keyout', join(folder, `${name}.key`), '-out', path];
  await run('openssl', ['req', '-x509', ...KEY, '-days', '2', ...files, '-subj', `/CN=${name}`]);
  return path;
}

async function makeCertificate(folder: string, authority: string): Promise<{ certificate: string; key: string }> {
  const [request, certificate, key, names] = ['csr', 'pem', 'key', 'names'].map((end) =>
    join(folder, `server.${end}`),
  ) as [string, string, string, string];
  await run('openssl', ['req', '-new', ...KEY, '-keyout', key, '-out', request, '-subj', `/CN=${HOST_NAME}`]);
  await writeFile(names, `subjectAltName=DNS:${HOST_NAME}\n`);
  const signer = ['-CA', authority, '-CAkey', authority.replace(/pem$/, 'key'), '-CAcreateserial'];
  await run('openssl', [
    'x509',
    '-req',
    '-in',
    request,
    ...signer,
    '-days',
    '2',
    '-extfile',
    names,
    '-out',
    certificate,
  ]);
  return { certificate, key };
}

export async function startTlsCluster(password: string): Promise<TlsCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-tls-'));
  const authority = await makeAuthority(folder, 'authority');
  const otherAuthority = await makeAuthority(folder, 'other');
  const { certificate, key } = await makeCertificate(folder, authority);
  await chmod(folder, 0o755);
  await chmod(key, 0o600);
  if (process.getuid?.() === 0) await chown(key, await idOf('-u'), await idOf('-g'));
  const cluster = await startPasswordCluster(password, {
    fsync: 'off',
    ssl: 'on',
    ssl_cert_file: certificate,
    ssl_key_file: key,
  });
  const stop = async () => {
    await cluster.stop();
    await rm(folder, { recursive: true });
  };
  return { ...cluster, authority, otherAuthority, stop };
}
