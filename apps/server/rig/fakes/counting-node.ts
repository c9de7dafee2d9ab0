import { startHttpReceiver } from './http-receiver.ts';

/** A node of an EVM chain that counts what it is asked. It knows no transaction but those it is given. */
export type CountingNode = {
  url: string;
  /** Calls by method; a batch counts each of its calls. */
  calls: Map<string, number>;
  total(): number;
  /** Answers of a method in place of null. */
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
