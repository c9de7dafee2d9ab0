import type { Gatherers } from './mail/gatherer.ts';
import {
  gatherFactorsReset,
  gatherInvitation,
  gatherMemberFactorsReset,
  gatherResetPassword,
  gatherVerifyAddress,
} from './people/gather-links.ts';
import {
  gatherApiKeyEnding,
  gatherEndpointBack,
  gatherEndpointFailing,
  gatherExchangeKeyEnding,
  gatherLowBalance,
  gatherUnmatchedMoney,
} from './notices/gather-notice.ts';
import {
  gatherAddressChanged,
  gatherFactorAdded,
  gatherFactorRemoved,
  gatherMembershipEnded,
  gatherNewSignIn,
  gatherPasswordChanged,
  gatherRecoveryCodeUsed,
  gatherRoleChanged,
  gatherTeamChanged,
} from './people/gather-notices.ts';
import { gatherOperatorView } from './people/gather-operator-view.ts';
import {
  gatherApiKeyChanged,
  gatherBrandChanged,
  gatherHttpsOnlyOff,
  gatherStoreSwitched,
  gatherWebhookSecretChanged,
} from './stores/gather-store-notices.ts';
import {
  gatherMethodChangeCancelled,
  gatherMethodChanged,
  gatherMethodChangeRequested,
  gatherMethodRemoved,
  gatherMethodDelayChanged,
  gatherMethodsLocked,
  gatherMethodsUnlocked,
} from './wallets/gather-method-notices.ts';

/** The gatherers of a worker, from the folders that know the facts of each mail. */
export const GATHERERS: Gatherers = {
  'verify-address': gatherVerifyAddress,
  invitation: gatherInvitation,
  'reset-password': gatherResetPassword,
  'password-changed': gatherPasswordChanged,
  'address-changed': gatherAddressChanged,
  'factor-added': gatherFactorAdded,
  'factor-removed': gatherFactorRemoved,
  'factors-reset-requested': gatherFactorsReset,
  'member-factors-reset': gatherMemberFactorsReset,
  'recovery-code-used': gatherRecoveryCodeUsed,
  'new-sign-in': gatherNewSignIn,
  'role-changed': gatherRoleChanged,
  'team-changed': gatherTeamChanged,
  'method-change-requested': gatherMethodChangeRequested,
  'method-change-cancelled': gatherMethodChangeCancelled,
  'method-changed': gatherMethodChanged,
  'method-removed': gatherMethodRemoved,
  'method-delay-changed': gatherMethodDelayChanged,
  'methods-locked': gatherMethodsLocked,
  'methods-unlocked': gatherMethodsUnlocked,
  'api-key-changed': gatherApiKeyChanged,
  'webhook-secret-changed': gatherWebhookSecretChanged,
  'store-switched': gatherStoreSwitched,
  'brand-changed': gatherBrandChanged,
  'https-only-off': gatherHttpsOnlyOff,
  'operator-view': gatherOperatorView,
  'membership-ended': gatherMembershipEnded,
  'low-balance': gatherLowBalance,
  'endpoint-failing': gatherEndpointFailing,
  'endpoint-back': gatherEndpointBack,
  'unmatched-money': gatherUnmatchedMoney,
  'api-key-ending': gatherApiKeyEnding,
  'exchange-key-ending': gatherExchangeKeyEnding,
  'mail-test': async () => ({}),
};
