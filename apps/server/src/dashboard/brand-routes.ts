import { z } from 'zod';
import type { Queries } from '../db/database.ts';
import type { Brand } from '../stores/brand-sql.ts';
import { findLogoName, readBrand } from '../stores/brand-sql.ts';
import { MAX_LOGO_BYTES } from '../stores/logo.ts';
import { setBrand } from '../stores/set-brand.ts';
import { storeForMember } from '../stores/store-for-member.ts';
import type { DashboardRoute } from './route.ts';
import { personRoute } from './route.ts';

const URL = '/accounts/:account/stores/:store/brand';
const MAX_NAME = 255;
const MAX_CONTACT = 1_000;
/** The largest logo in base64, and room for the other fields. */
const MAX_LOGO_TEXT = Math.ceil(MAX_LOGO_BYTES / 3) * 4;
const MAX_BRAND_BYTES = MAX_LOGO_TEXT + 16_384;

const brandBody = z.strictObject({
  display_name: z.string().trim().min(1).max(MAX_NAME).nullable(),
  accent: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/)
    .toLowerCase()
    .nullable(),
  support_url: z.string().trim().min(1).max(MAX_CONTACT).nullable(),
  support_email: z.string().trim().min(1).max(MAX_CONTACT).nullable(),
  logo: z.base64().max(MAX_LOGO_TEXT).nullable().optional().describe('A picture in base64; left out, it stays'),
});

async function viewBrand(queries: Queries, brand: Brand) {
  const logo = brand.logoHash === null ? undefined : await findLogoName(queries, brand.logoHash);
  return {
    display_name: brand.displayName,
    accent: brand.accent,
    support_url: brand.supportUrl,
    support_email: brand.supportEmail,
    logo: logo ?? null,
  };
}

export const brandRoutes: readonly DashboardRoute[] = [
  personRoute(
    { method: 'GET', url: URL, summary: 'How a store looks to payers' },
    async ({ context, person, path: { account = '', store = '' } }) => {
      const asked = { merchantCode: account, merchantId: store, permission: 'invoice.see' } as const;
      const { id } = await storeForMember(context, person, asked);
      const { queries } = context.views;
      return viewBrand(queries, await readBrand(queries, id));
    },
  ),
  personRoute(
    {
      method: 'PUT',
      url: URL,
      summary: 'Change how a store looks to payers',
      body: brandBody,
      maxBodyBytes: MAX_BRAND_BYTES,
    },
    async ({ context, person, path, input: { logo, ...input } }) => {
      const asked = { merchantCode: path['account'] ?? '', merchantId: path['store'] ?? '' };
      const store = await storeForMember(context, person, { ...asked, permission: 'store.change' });
      const brand = await setBrand(context, person, {
        store,
        displayName: input.display_name,
        accent: input.accent,
        supportUrl: input.support_url,
        supportEmail: input.support_email,
        ...(logo !== undefined && { logo: logo === null ? null : Buffer.from(logo, 'base64') }),
      });
      return viewBrand(context.views.queries, brand);
    },
  ),
];
