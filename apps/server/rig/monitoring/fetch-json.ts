/** Asks the API of Prometheus, and returns the data of its answer. */
export async function fetchJson(url: string): Promise<unknown> {
  const response = await fetch(url);
  const { status, error, data } = (await response.json()) as { status: string; error?: string; data: unknown };
  if (status !== 'success') throw new Error(`Prometheus refused ${url}: ${error}`);
  return data;
}
