import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, LOOPBACK } from '../fakes/listen.ts';
import { waitUntil } from '../processes/wait-until.ts';

/** A real Alertmanager, alone: it takes part in no cluster. */

type Alertmanager = {
  /** Host and port, as the configuration of Prometheus names it. */
  address: string;
  stop(): Promise<void>;
};

const READY_MS = 60_000;
const POLL_MS = 200;

export async function startAlertmanager(configuration: string): Promise<Alertmanager> {
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-alertmanager-'));
  const config = join(folder, 'alertmanager.yml');
  await writeFile(config, configuration);
  const address = `${LOOPBACK}:${await freePort()}`;
  const child = spawn(
    'prometheus-alertmanager',
    [
      `--config.file=${config}`,
      `--storage.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
      // Without this Alertmanager also listens on a port for its cluster.
      '--cluster.listen-address=',
      '--log.level=error',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true });
  };
  const isReady = () =>
    fetch(`http://${address}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  try {
    await waitUntil(isReady, { what: 'Alertmanager did not start.', timeoutMs: READY_MS, pollMs: POLL_MS });
  } catch (cause) {
    await stop();
    throw cause;
  }
  return { address, stop };
}
