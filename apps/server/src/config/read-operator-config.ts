import type { MailServer } from '../mail/mail-server.ts';
import type { FollowedChain } from './chain-settings.ts';
import { readChains } from './chain-settings.ts';
import { parseSettings, refuseFaults } from './parse-settings.ts';
import { OPERATOR_SETTINGS } from './process-settings.ts';
import type { ApiConfig } from './read-api-config.ts';
import { readMailServer } from './read-mail-server.ts';
import type { Variables } from './setting.ts';

/** Settings of the command line, which listens on no address. */
type OperatorConfig = Pick<ApiConfig, 'databaseUrl' | 'anyDatabaseRole' | 'privateCallbacks'> & {
  keyRingFile: string | undefined;
  chains: FollowedChain[];
  /** Shards for new merchants; all when undefined. */
  shards: string | undefined;
  /** IP addresses of our requests to exchange platforms, for the allow-lists of keys. */
  egressAddresses: string[];
  /** The user who ran the command through sudo. */
  sudoUser: string | undefined;
  dashboardUrl: string | undefined;
  mailServer: MailServer | undefined;
};

export function readOperatorConfig(given: Variables): OperatorConfig {
  const { values, variables, production, faults } = parseSettings(OPERATOR_SETTINGS, given);
  const { mailServer, mailFaults } = readMailServer(values, production);
  refuseFaults([...faults, ...mailFaults]);
  return {
    databaseUrl: values.COUNTERFOIL_DATABASE_URL,
    anyDatabaseRole: values.COUNTERFOIL_ANY_DATABASE_ROLE === 'allow',
    dashboardUrl: values.COUNTERFOIL_DASHBOARD_URL,
    mailServer,
    keyRingFile: values.COUNTERFOIL_KEY_RING_FILE,
    chains: readChains(variables),
    shards: values.COUNTERFOIL_SHARDS,
    privateCallbacks: values.COUNTERFOIL_PRIVATE_CALLBACKS === 'allow',
    egressAddresses: values.COUNTERFOIL_EGRESS_ADDRESSES,
    sudoUser: values.SUDO_USER,
  };
}
