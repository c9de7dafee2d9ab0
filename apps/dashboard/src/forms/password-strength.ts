/** Password strength by form. The server also refuses common ones. */

export const STRENGTHS = ['weak', 'fair', 'strong'] as const;
type Strength = (typeof STRENGTHS)[number];

const FAIR_CHARACTERS = 12;
const STRONG_CHARACTERS = 16;
const FAIR_DIFFERENT = 5;
const STRONG_DIFFERENT = 8;

export function strengthOf(password: string): Strength {
  const characters = Array.from(password.replaceAll(/ +/g, ' '));
  const different = new Set(characters).size;
  if (characters.length < FAIR_CHARACTERS || different < FAIR_DIFFERENT) return 'weak';
  return characters.length < STRONG_CHARACTERS || different < STRONG_DIFFERENT ? 'fair' : 'strong';
}
