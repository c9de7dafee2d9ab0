const TIMEOUT_MS = 15_000;

/** Returns the answer, also of a refusal; null without a readable one. */
export async function postJson<T>(path: string, body: Record<string, string>): Promise<T | null> {
  try {
    const response = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return (await response.json()) as T;
  } catch {
    return null;
  }
}
