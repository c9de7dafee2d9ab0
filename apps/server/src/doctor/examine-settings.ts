import { isEveryAddress } from '../config/addresses.ts';
import { findUnknownSettings } from '../config/find-unknown-settings.ts';
import { faultsOf, PROCESS_NAMES } from '../config/server-process.ts';
import type { ProcessName } from '../config/server-process.ts';
import type { Variables } from '../config/setting.ts';
import { FILE_END } from '../config/setting.ts';
import { SETTINGS } from '../config/settings.ts';
import type { Finding } from './finding.ts';
import { doubtful, fine, wrong } from './finding.ts';

const PAGE = 'See docs/configuration.md.';
const PORT_NAMES = Object.keys(SETTINGS).filter((name) => name.endsWith('_PORT'));

function examineOperationsHost(variables: Variables): Finding[] {
  const host = variables['COUNTERFOIL_OPERATIONS_HOST'];
  return isEveryAddress(host)
    ? [
        doubtful(
          'operations port',
          'Health and metrics are served on every address of this host, to everyone who can reach it.',
          'Set COUNTERFOIL_OPERATIONS_HOST to an inner address, or close the operations ports at the firewall.',
        ),
      ]
    : [];
}

function examineEnvironment(variables: Variables): Finding[] {
  if (variables['COUNTERFOIL_ENVIRONMENT'] !== 'development') return [];
  const isPublic = ['COUNTERFOIL_CHECKOUT_URL', 'COUNTERFOIL_DASHBOARD_URL'].some((name) =>
    /^https:/i.test(variables[name]?.trim() ?? ''),
  );
  return isPublic
    ? [
        wrong(
          'environment',
          'COUNTERFOIL_ENVIRONMENT is development, which takes plain http, private callbacks and local chains, behind a public address.',
          'Remove COUNTERFOIL_ENVIRONMENT, or set it to production.',
        ),
      ]
    : [];
}

function examinePorts(variables: Variables): Finding[] {
  const names = PORT_NAMES.filter((name) => /^0+$/.test(variables[name] ?? ''));
  return names.length > 0
    ? [
        doubtful(
          'ports',
          `${names.join(', ')}: 0 is another port after every start.`,
          'Set a port, or remove the setting, which has a default.',
        ),
      ]
    : [];
}

/** Whether a fault concerns a present setting: this environment need not have those of other processes. */
function isSet(fault: string, variables: Variables): boolean {
  const [name = ''] = fault.split(/[:.]/);
  return variables[name] !== undefined || variables[`${name}${FILE_END}`] !== undefined;
}

/** Examines an environment, including settings of other processes. */
export function examineSettings(process: ProcessName, variables: Variables): Finding[] {
  const others = PROCESS_NAMES.flatMap((name) => faultsOf(name, variables)).filter((fault) => isSet(fault, variables));
  const faults = new Set([...faultsOf(process, variables), ...others, ...findUnknownSettings(variables)]);
  const found = [
    ...[...faults].map((fault) => wrong('settings', fault, PAGE)),
    ...examineEnvironment(variables),
    ...examineOperationsHost(variables),
    ...examinePorts(variables),
  ];
  return found.length > 0 ? found : [fine('settings', `All settings of ${process} are valid.`)];
}
