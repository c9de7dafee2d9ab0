export type Sought = 'invoice' | 'event' | 'transaction' | 'address' | 'order';

const SHAPES: readonly [RegExp, Sought][] = [
  [/^tid-[0-9a-z]{4,}$/i, 'invoice'],
  [/^evt_[\w-]+$/, 'event'],
  [/^(?:0x)?[0-9a-f]{64}$/i, 'transaction'],
  [/^[1-9A-HJ-NP-Za-km-z]{80,90}$/, 'transaction'],
  [/^0x[0-9a-f]{40}$/i, 'address'],
  [/^T[1-9A-HJ-NP-Za-km-z]{33}$/, 'address'],
  [/^[1-9A-HJ-NP-Za-km-z]{43,44}$/, 'address'],
];

const LEAST = 3;

/** Undefined for texts that are too short. */
export function recognise(typed: string): Sought | undefined {
  const text = typed.trim();
  if (text.length < LEAST) return undefined;
  return SHAPES.find(([shape]) => shape.test(text))?.[1] ?? 'order';
}
