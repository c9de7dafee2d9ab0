import type { Registry } from 'prom-client';
import type { HeldRing } from '../secrets/hold-key-ring.ts';
import { gauge, observe } from './observe.ts';

const METRICS = {
  counterfoil_key_ring_usable: gauge('1 while the key ring of this process opens something; at 0 it signs no webhook.'),
  counterfoil_key_ring_complete: gauge(
    '1 while the key ring of this process opens everything; at 0 some webhooks may wait, or all.',
  ),
};

/**
 * Metrics of the key ring: whether this process can sign webhooks. Without a key ring chains are still followed, and
 * webhooks wait.
 */
export function observeKeyRing(registry: Registry, ring: Pick<HeldRing, 'fault' | 'isUsable'>): void {
  observe(registry, METRICS, () => ({
    counterfoil_key_ring_usable: ring.isUsable() ? 1 : 0,
    counterfoil_key_ring_complete: ring.fault() === undefined ? 1 : 0,
  }));
}
