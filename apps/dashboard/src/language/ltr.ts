/** A code within a sentence, kept from left to right in every language by marks that are not seen. */
export const ltr = (code: string): string => `\u2066${code}\u2069`;
