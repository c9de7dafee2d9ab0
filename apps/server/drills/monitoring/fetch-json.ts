/** Asks the API of Prometheus. */
export async function fetchJson<Data>(url: string): Promise<Data> {
  const response = await fetch(url);
  const answer = (await response.json()) as { status: string; error?: string; data: Data };
  if (answer.status !== 'success') throw new Error(`Prometheus refused ${url}: ${answer.error}`);
  return answer.data;
}
