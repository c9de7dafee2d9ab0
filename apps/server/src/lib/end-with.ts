/** Waits for `work` until `signal` aborts, then throws `failure()`, even if `work` ignores the signal. */
export async function endWith<Answer>(
  signal: AbortSignal,
  work: Promise<Answer>,
  failure: () => Error,
): Promise<Answer> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(failure());
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
