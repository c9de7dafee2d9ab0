/** JSON-RPC over HTTP without a library: the rig must not share mistakes of the client under test. */

export type RpcCall = { method: string; params?: readonly unknown[] };

/** A JSON-RPC error object, as the node answered it. */
export class RpcError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

type Answer<Result> = { id: number; result?: Result; error?: { code: number; message: string } };

const RPC_TIMEOUT_MS = 120_000;

async function post<Body>(url: string, body: unknown, timeoutMs: number): Promise<Body> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(timeoutMs),
  });
  return (await response.json()) as Body;
}

function resultOf<Result>(answer: Answer<Result> | undefined): Result {
  if (!answer) throw new Error('The node left a call of the batch unanswered.');
  if (answer.error) throw new RpcError(answer.error.code, answer.error.message);
  return answer.result as Result;
}

export async function callRpc<Result>(url: string, call: RpcCall, timeoutMs = RPC_TIMEOUT_MS): Promise<Result> {
  const body = { jsonrpc: '2.0', id: 1, method: call.method, params: call.params ?? [] };
  return resultOf(await post<Answer<Result>>(url, body, timeoutMs));
}

/**
 * Sends all calls in one HTTP request. Returns results in the order of the calls; throws the first error among them.
 */
export async function callRpcBatch<Result>(url: string, calls: readonly RpcCall[]): Promise<Result[]> {
  const body = calls.map((call, id) => ({ jsonrpc: '2.0', id, method: call.method, params: call.params ?? [] }));
  const answers = await post<Answer<Result>[]>(url, body, RPC_TIMEOUT_MS);
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  return calls.map((_, id) => resultOf(byId.get(id)));
}
