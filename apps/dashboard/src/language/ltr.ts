/** Isolates a code, left to right in every language. */
export const ltr = (code: string): string => `\u2066${code}\u2069`;
