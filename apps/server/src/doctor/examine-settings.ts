import { findUnknownSettings } from '../config/find-unknown-settings.ts';
import { faultsOf } from '../config/server-process.ts';
import type { ProcessName } from '../config/server-process.ts';
import type { Variables } from '../config/setting.ts';
import type { Finding } from './finding.ts';
import { doubtful, fine, wrong } from './finding.ts';

/** Ranges that hold every address: whoever connects could say who they are. */
const EVERYBODY = new Set(['0.0.0.0/0', '::/0']);

const PAGE = 'See docs/configuration.md.';

function examineProxies(variables: Variables): Finding[] {
  const ranges = (variables['COUNTERFOIL_TRUSTED_PROXIES'] ?? '').split(',').map((range) => range.trim());
  return ranges.some((range) => EVERYBODY.has(range))
    ? [
        wrong(
          'trusted proxies',
          'Every address counts as a proxy, so that any caller can choose the address they are counted and limited by.',
          "Set COUNTERFOIL_TRUSTED_PROXIES to the addresses of your proxies alone, for example the proxy's /32.",
        ),
      ]
    : [];
}

function examineOperationsHost(variables: Variables): Finding[] {
  const host = variables['COUNTERFOIL_OPERATIONS_HOST'];
  return host === '0.0.0.0' || host === '::'
    ? [
        doubtful(
          'operations port',
          'Health and metrics are served on every address of this host, to whoever reaches it.',
          'Set COUNTERFOIL_OPERATIONS_HOST to an inner address, or close the operations ports at the firewall.',
        ),
      ]
    : [];
}

function examineEnvironment(variables: Variables): Finding[] {
  if (variables['COUNTERFOIL_ENVIRONMENT'] !== 'development') return [];
  const isPublic = ['COUNTERFOIL_CHECKOUT_URL', 'COUNTERFOIL_DASHBOARD_URL'].some((name) =>
    variables[name]?.startsWith('https://'),
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

function examineRegistration(variables: Variables): Finding[] {
  return variables['COUNTERFOIL_REGISTRATION'] === 'open' &&
    !variables['COUNTERFOIL_MAIL_URL'] &&
    !variables['COUNTERFOIL_MAIL_URL_FILE']
    ? [
        wrong(
          'registration',
          'Whoever signs up must follow a link in a mail, and no mail server is configured.',
          'Set COUNTERFOIL_MAIL_URL and COUNTERFOIL_MAIL_FROM, or COUNTERFOIL_REGISTRATION=invited.',
        ),
      ]
    : [];
}

/** Examines the environment of a process without asking anybody. Pure. */
export function examineSettings(process: ProcessName, variables: Variables): Finding[] {
  const faults = faultsOf(process, variables).map((fault) => wrong('settings', fault, PAGE));
  const unknown = findUnknownSettings(variables).map((fault) => wrong('settings', fault, PAGE));
  const found = [
    ...faults,
    ...unknown,
    ...examineEnvironment(variables),
    ...examineProxies(variables),
    ...examineOperationsHost(variables),
    ...examineRegistration(variables),
  ];
  return found.length > 0 ? found : [fine('settings', `All settings of ${process} are valid.`)];
}
