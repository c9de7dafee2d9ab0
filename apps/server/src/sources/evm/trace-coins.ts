export type TracedCoins = { units: bigint; from: string };

/** Calls that credit their receiver. A delegated call only repeats the outer call's value. */
const CREDITING = new Set(['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT']);
const NOTHING: TracedCoins = { units: 0n, from: '' };
const HEX = /^0x[0-9a-f]+$/i;

type Frame = { type?: unknown; from?: unknown; to?: unknown; value?: unknown; error?: unknown; calls?: unknown };

type Move = { from: unknown; to: unknown; value: unknown };

const isSame = (address: unknown, to: string) => typeof address === 'string' && address.toLowerCase() === to;

function add(sum: TracedCoins, { from, to: receiver, value }: Move, to: string): TracedCoins {
  if (typeof value !== 'string' || !HEX.test(value) || isSame(from, to) === isSame(receiver, to)) return sum;
  if (isSame(from, to)) return { ...sum, units: sum.units - BigInt(value) };
  const sender = sum.from === '' && typeof from === 'string' ? from.toLowerCase() : sum.from;
  return { units: sum.units + BigInt(value), from: sender };
}

const atLeastNothing = (sum: TracedCoins): TracedCoins => (sum.units > 0n ? sum : NOTHING);

/** Decodes geth's `callTracer`. The outermost call is the transaction; a failed call reverts its inner calls. */
export function decodeCallTrace(raw: unknown, to: string): TracedCoins | undefined {
  if (typeof raw !== 'object' || raw === null || typeof (raw as Frame).type !== 'string') return undefined;
  const root = raw as Frame;
  let sum = NOTHING;
  const counts = root.error === undefined && !isSame(root.from, to);
  const open: unknown[] = counts && Array.isArray(root.calls) ? (root.calls as unknown[]).toReversed() : [];
  while (open.length > 0) {
    const frame = open.pop() as Frame | null;
    if (typeof frame !== 'object' || frame === null || typeof frame.type !== 'string') return undefined;
    if (frame.error !== undefined) continue;
    const { type, from, to: receiver, value } = frame;
    if (CREDITING.has(type.toUpperCase())) sum = add(sum, { from, to: receiver, value }, to);
    if (Array.isArray(frame.calls)) for (const call of (frame.calls as unknown[]).toReversed()) open.push(call);
  }
  return atLeastNothing(sum);
}

type Step = {
  type?: unknown;
  action?: Record<string, unknown> | null;
  result?: { address?: unknown } | null;
  error?: unknown;
  traceAddress?: unknown;
};

function moveOf({ type, action, result }: Step): Move | undefined {
  if (!action) return undefined;
  const { callType = 'call', value, from, to, balance, refundAddress, address } = action;
  if (type === 'call') return callType === 'call' ? { from, to, value } : undefined;
  if (type === 'create') return { from, to: result?.address, value };
  return type === 'suicide' ? { from: address, to: refundAddress, value: balance } : undefined;
}

/** Decodes `trace_transaction`: a flat list of steps with their paths in the call tree. */
export function decodeFlatTrace(raw: unknown, to: string): TracedCoins | undefined {
  if (!Array.isArray(raw) || raw.length === 0) return undefined;
  const failed: string[] = [];
  let sum = NOTHING;
  for (const step of raw as (Step | null)[]) {
    if (!step || !Array.isArray(step.traceAddress)) return undefined;
    const path = step.traceAddress as unknown[];
    const prefix = path.map((at) => `${String(at)}.`).join('');
    if (failed.some((above) => prefix.startsWith(above))) continue;
    const move = moveOf(step);
    if (step.error !== undefined && step.error !== null) failed.push(prefix);
    else if (path.length > 0) sum = move ? add(sum, move, to) : sum;
    else if (isSame(move?.from, to)) return NOTHING;
  }
  return atLeastNothing(sum);
}
