import type { CheckoutView } from '@counterfoil/checkout/checkout-view';
import type { ClientNetwork } from '../lib/client-address.ts';
import { tagOf } from './checkout-view.ts';
import type { EventStream } from './event-stream.ts';
import type { PageAddress } from './page-address.ts';
import type { Surroundings } from './network-conditions.ts';
import { NETWORK_FACTORS } from './visitor-limits.ts';

/** Viewers of invoices in this process, and their limits. */

export type ViewerLimits = { total: number; perAddress: number; perInvoice: number; perVisitor: number };

/**
 * An IP address may be a carrier's gateway; an invoice has one payer, perhaps with several tabs and devices. When
 * strangers use up an invoice's limit, a known visitor may still open a few streams.
 */
export const VIEWER_LIMITS = { perAddress: 500, perInvoice: 20, perVisitor: 3 };

export type ViewerRefusal = 'full' | 'too-many';

export type NewViewer = {
  client: readonly ClientNetwork[];
  address: PageAddress;
  invoiceId: bigint;
  stream: EventStream;
  view: CheckoutView;
  version: bigint;
};

/** `known` if this visitor was there before. */
export type AskingViewer = Pick<NewViewer, 'client' | 'invoiceId'> & { known: boolean };

export const BEAT_MS = 15_000;
export const AFTER_PAID_MS = 60_000;
const MAX_LIFE_MS = 30 * 60_000;
const BEAT_APART_MS = 200;

type Viewer = Omit<NewViewer, 'view'> & {
  tag: string;
  endsAtMs: number;
  nextBeatMs: number;
};

export type Watched = {
  transId: string;
  viewers: Set<Viewer>;
  /** Network whose confirmations the view counts, if any. */
  countsOn: string | undefined;
  /** When the view next changes with time. */
  dueAtMs: number;
};

export function createViewers() {
  return {
    watched: new Map<bigint, Watched>(),
    viewers: new Set<Viewer>(),
    perNetwork: new Map<string, number>(),
    dirty: new Set<Watched>(),
    position: undefined as string | undefined,
    surroundings: undefined as Surroundings | undefined,
    polledAtMs: 0,
  };
}

export type Viewers = ReturnType<typeof createViewers>;

export function enter(state: Viewers, added: Omit<NewViewer, 'view'>, view: CheckoutView, steadyMs: number): Viewer {
  const viewer: Viewer = {
    ...added,
    tag: tagOf(view),
    endsAtMs: steadyMs + (view.step === 'paid' ? AFTER_PAID_MS : MAX_LIFE_MS),
    // Spread over time, because all viewers return together after a restart.
    nextBeatMs: steadyMs + ((state.viewers.size * BEAT_APART_MS) % BEAT_MS),
  };
  state.viewers.add(viewer);
  for (const { name } of viewer.client) state.perNetwork.set(name, (state.perNetwork.get(name) ?? 0) + 1);
  const watched = state.watched.get(viewer.invoiceId) ?? {
    transId: view.transId,
    viewers: new Set<Viewer>(),
    countsOn: undefined,
    dueAtMs: Infinity,
  };
  watched.viewers.add(viewer);
  state.watched.set(viewer.invoiceId, watched);
  // The invoice may have changed since the viewer's view was read.
  state.dirty.add(watched);
  return viewer;
}

export function leave(state: Viewers, viewer: Viewer): void {
  if (!state.viewers.delete(viewer)) return;
  for (const { name } of viewer.client) {
    const left = (state.perNetwork.get(name) ?? 1) - 1;
    if (left > 0) state.perNetwork.set(name, left);
    else state.perNetwork.delete(name);
  }
  const watched = state.watched.get(viewer.invoiceId);
  watched?.viewers.delete(viewer);
  if (watched?.viewers.size === 0) {
    state.watched.delete(viewer.invoiceId);
    state.dirty.delete(watched);
  }
}

/** Why another viewer is refused, if so. */
export function refusalFor(
  state: Viewers,
  limits: ViewerLimits,
  { client, invoiceId, known }: AskingViewer,
): ViewerRefusal | undefined {
  if (state.viewers.size >= limits.total) return 'full';
  const isOver = ({ bits, name }: ClientNetwork) =>
    (state.perNetwork.get(name) ?? 0) >= limits.perAddress * NETWORK_FACTORS[bits];
  if (client.some(isOver)) return 'too-many';
  const viewers = [...(state.watched.get(invoiceId)?.viewers ?? [])];
  if (viewers.length < limits.perInvoice) return undefined;
  const own = viewers.filter((viewer) => viewer.client[0]?.name === client[0]?.name);
  return known && own.length < limits.perVisitor ? undefined : 'too-many';
}
