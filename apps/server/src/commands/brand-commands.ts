import { readFile } from 'node:fs/promises';
import { CommandError } from './command-error.ts';
import { z } from 'zod';
import { command } from './command.ts';
import type { OperatorContext } from './operator-context.ts';
import { setBrand } from '../stores/set-brand.ts';
import { storeForOperator } from '../stores/store-for-operator.ts';

const NONE = 'none';

const brandInput = z.object({
  store: z.string(),
  name: z.string().trim().min(1).max(255).optional(),
  colour: z
    .string()
    .regex(/^(?:#[0-9a-f]{6}|none)$/i, 'must be #rrggbb or none')
    .transform((text) => text.toLowerCase())
    .optional(),
  logo: z.string().min(1).optional(),
  'support-url': z.string().trim().min(1).optional(),
  'support-mail': z.string().trim().min(1).optional(),
});

async function readPicture(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch {
    throw new CommandError(`${path} cannot be read.`);
  }
}

/** The given value, or null for `none`, which clears the field. */
const given = (text: string) => (text === NONE ? null : text);

const storeBrand = command<OperatorContext, typeof brandInput>('store brand', {
  summary: 'Appearance of a store on the checkout page; omitted options stay unchanged.',
  options: {
    store: 'MERCHANT_ID',
    name: 'NAME           shown instead of the name of the store, or none',
    colour: '#RRGGBB      of buttons, or none',
    logo: 'FILE           PNG, JPEG or WebP up to 64 kB, or none',
    'support-url': 'URL     where payers with a problem find help, or none',
    'support-mail': 'ADDRESS  that they can write to, or none',
  },
  input: brandInput,
  run: async (context, { store, name, colour, logo, 'support-url': url, 'support-mail': mail }) => {
    const brand = await setBrand({ ...context, ...(await context.outbox()) }, context.actor, {
      ...(name !== undefined && { displayName: given(name) }),
      ...(colour !== undefined && { accent: given(colour) }),
      ...(logo !== undefined && { logo: logo === NONE ? null : await readPicture(logo) }),
      ...(url !== undefined && { supportUrl: given(url) }),
      ...(mail !== undefined && { supportEmail: given(mail) }),
      store: await storeForOperator(context, context.actor, store),
    });
    return {
      store,
      name: brand.displayName ?? NONE,
      colour: brand.accent ?? NONE,
      logo: brand.logoHash ?? NONE,
      support_url: brand.supportUrl ?? NONE,
      support_mail: brand.supportEmail ?? NONE,
    };
  },
});

export const brandCommands = [storeBrand];
