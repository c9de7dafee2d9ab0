import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeServer, listen } from '../fakes/listen.ts';

/** A proxy at a provider's URL in front of a real node, whose answers a test can change. */

export type ProxyCall = { id: number; method: string; params: unknown[] };
type ProxyAnswer = { id: number | null; result?: unknown; error?: { code: number; message: string } };
type AskNode = (calls: readonly ProxyCall[]) => Promise<ProxyAnswer[]>;
/** Makes the answer to a request; `ask` returns the node's own answer. */
export type ProxyAnswers = (calls: readonly ProxyCall[], ask: AskNode) => Promise<unknown>;

export type RpcProxy = {
  url: string;
  answer(by: ProxyAnswers): void;
  /** Passes the node's own answers on again from now on. */
  answerTruly(): void;
  /** All requests since the last `forget`, as lists of calls. */
  requests(): readonly (readonly ProxyCall[])[];
  forget(): void;
  stop(): Promise<void>;
};

const truly: ProxyAnswers = (calls, ask) => ask(calls);

/** Changes the results of single calls; an error that `change` throws becomes the call's error. */
export function changing(change: (call: ProxyCall, result: unknown) => unknown): ProxyAnswers {
  return async (calls, ask) => {
    const byId = new Map((await ask(calls)).map((answer) => [answer.id, answer]));
    return calls.map((call) => {
      const answer = byId.get(call.id);
      if (!answer) throw new Error(`The node did not answer ${call.method}.`);
      if (answer.error) return answer;
      try {
        return { ...answer, result: change(call, answer.result) };
      } catch (cause) {
        if (!(cause instanceof Refused)) throw cause;
        return { jsonrpc: '2.0', id: call.id, error: { code: cause.code, message: cause.message } };
      }
    });
  };
}

/** Error with which a node refuses a call. */
export class Refused extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export async function startRpcProxy(upstream: string): Promise<RpcProxy> {
  let answers = truly;
  let requests: ProxyCall[][] = [];
  const ask: AskNode = async (calls) => {
    const body = JSON.stringify(calls.map((call) => ({ jsonrpc: '2.0', ...call })));
    const response = await fetch(upstream, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    return (await response.json()) as ProxyAnswer[];
  };
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const calls = [JSON.parse(await text(request)) as ProxyCall | ProxyCall[]].flat();
    requests.push(calls);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(await answers(calls, ask)));
  }
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    answer: (by) => {
      answers = by;
    },
    answerTruly: () => {
      answers = truly;
    },
    requests: () => requests,
    forget: () => {
      requests = [];
    },
    stop: () => closeServer(server),
  };
}
