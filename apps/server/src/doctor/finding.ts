/** `wrong`: payments, pages or emails fail, now or soon. `doubtful`: not good enough for real money. `fine`. */
export type Finding = { check: string; state: 'fine' | 'doubtful' | 'wrong'; says: string; mend?: string };

export const fine = (check: string, says: string): Finding => ({ check, state: 'fine', says });

export const wrong = (check: string, says: string, mend: string): Finding => ({ check, state: 'wrong', says, mend });

export const doubtful = (check: string, says: string, mend: string): Finding => ({
  check,
  state: 'doubtful',
  says,
  mend,
});

/** Strangers' answers can be long. */
const MOST_CHARACTERS = 200;

/** The reason of a failure, in one line. */
export function reasonOf(cause: unknown): string {
  const text = cause instanceof Error ? cause.message || cause.name : String(cause);
  return text.replaceAll(/\s+/g, ' ').slice(0, MOST_CHARACTERS);
}
