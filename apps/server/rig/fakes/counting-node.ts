import { startHttpReceiver } from './http-receiver.ts';

/** An EVM node that counts calls. The node answers null, except to methods for which a test has set an answer. */
export type CountingNode = {
  url: string;
  /** Number of calls by method, with each call of a batch counted. */
  calls: Map<string, number>;
  total(): number;
  /** Answers by method, in place of null. */
  answers: Map<string, unknown>;
  close(): Promise<void>;
};

type Call = { id: number; method: string };

export async function startCountingNode(): Promise<CountingNode> {
  const receiver = await startHttpReceiver();
  const calls = new Map<string, number>();
  const answers = new Map<string, unknown>();
  receiver.answer = (_request, response) => {
    const asked = JSON.parse(receiver.requests.at(-1)?.body ?? '[]') as Call[];
    receiver.requests.length = 0;
    for (const { method } of asked) calls.set(method, (calls.get(method) ?? 0) + 1);
    const body = asked.map(({ id, method }) => ({ jsonrpc: '2.0', id, result: answers.get(method) ?? null }));
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  };
  return {
    url: `http://127.0.0.1:${receiver.port}`,
    calls,
    total: () => [...calls.values()].reduce((sum, count) => sum + count, 0),
    answers,
    close: () => receiver.close(),
  };
}
