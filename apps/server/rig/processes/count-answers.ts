import type { WorkerProcess } from './server-process.ts';

/** How many requests of a route a server has answered, by its own metrics. */
export async function countAnswers(
  { operationsUrl }: Pick<WorkerProcess, 'operationsUrl'>,
  method: string,
  route: string,
): Promise<number> {
  const text = await (await fetch(`${operationsUrl}/metrics`)).text();
  const start = `counterfoil_http_request_duration_seconds_count{method="${method}",route="${route}",`;
  const lines = text.split('\n').filter((line) => line.startsWith(start));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
