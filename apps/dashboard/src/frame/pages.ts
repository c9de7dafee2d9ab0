import type { Permission } from '@counterfoil/core/permission.ts';
import type { WordKey } from '../language/words.ts';
import type { IconName } from '../parts/icon.tsx';

/** Pages in navigation and palette. */

type MerchantPage = {
  to:
    | '/m/$account'
    | '/m/$account/invoices'
    | '/m/$account/stores'
    | '/m/$account/team'
    | '/m/$account/unmatched'
    | '/m/$account/webhooks'
    | '/m/$account/audit'
    | '/m/$account/balance'
    | '/m/$account/exports';
  title: WordKey;
  /** Short title for a phone's bar. */
  short?: WordKey;
  icon: IconName;
  needs: Permission;
};

export const MERCHANT_PAGES: readonly MerchantPage[] = [
  { to: '/m/$account', title: 'home.title', icon: 'home', needs: 'invoice.see' },
  { to: '/m/$account/invoices', title: 'invoices.title', icon: 'invoice', needs: 'invoice.see' },
  {
    to: '/m/$account/unmatched',
    title: 'unmatched.title',
    short: 'unmatched.short',
    icon: 'inbox',
    needs: 'invoice.see',
  },
  { to: '/m/$account/stores', title: 'stores.title', icon: 'store', needs: 'invoice.see' },
  { to: '/m/$account/webhooks', title: 'webhooks.title', icon: 'hook', needs: 'delivery.see' },
  { to: '/m/$account/balance', title: 'balance.title', icon: 'balance', needs: 'balance.see' },
  { to: '/m/$account/exports', title: 'exports.title', icon: 'export', needs: 'export.see' },
  { to: '/m/$account/team', title: 'team.title', icon: 'team', needs: 'team.see' },
  { to: '/m/$account/audit', title: 'audit.title', icon: 'audit', needs: 'audit.see' },
];
