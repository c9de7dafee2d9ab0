import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { command } from '../lib/command.ts';
import { OperatorError } from '../lib/errors.ts';
import type { OperatorContext } from '../secrets/operator.ts';
import { setBrand } from './set-brand.ts';

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
});

async function readPicture(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch {
    throw new OperatorError(`${path} cannot be read.`);
  }
}

/** A given word, null for the word that takes back. */
const given = (text: string) => (text === NONE ? null : text);

const storeBrand = command<OperatorContext, typeof brandInput>('store brand', {
  summary: 'How a store looks on the checkout page; what is left out stays.',
  options: {
    store: 'MERCHANT_ID',
    name: 'NAME           shown instead of the name of the store, or none',
    colour: '#RRGGBB      of buttons, or none',
    logo: 'FILE           PNG, JPEG or WebP up to 64 kB, or none',
  },
  input: brandInput,
  run: async ({ database, clock, actor }, { store, name, colour, logo }) => {
    const brand = await setBrand(database, clock, {
      merchantId: store,
      ...(name !== undefined && { displayName: given(name) }),
      ...(colour !== undefined && { accent: given(colour) }),
      ...(logo !== undefined && { logo: logo === NONE ? null : await readPicture(logo) }),
      actor,
    });
    return { store, name: brand.displayName ?? NONE, colour: brand.accent ?? NONE, logo: brand.logoHash ?? NONE };
  },
});

export const brandCommands = [storeBrand];
