import type { Permission } from '../api/permission.ts';
import type { WordKey } from '../language/words.ts';
import type { IconName } from '../parts/icon.tsx';

/** Pages that the navigation and the palette offer. A page is added here when it exists. */

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
  /** For the bar of a phone, where a long title would take two lines. */
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
