import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import type { HeldRing } from '../secrets/hold-key-ring.ts';

/** Metrics of the key ring: whether this process can sign. Without it chains are still followed, and webhooks wait. */
export function observeKeyRing(registry: Registry, ring: Pick<HeldRing, 'fault' | 'isUsable'>): void {
  const usable = new Gauge({
    name: 'counterfoil_key_ring_usable',
    help: '1 while the key ring of this process opens something; at 0 it signs no webhook.',
    registers: [],
    collect() {
      this.set(ring.isUsable() ? 1 : 0);
    },
  });
  const complete = new Gauge({
    name: 'counterfoil_key_ring_complete',
    help: '1 while the key ring of this process opens everything; at 0 some webhooks may wait, or all.',
    registers: [],
    collect() {
      this.set(ring.fault() === undefined ? 1 : 0);
    },
  });
  registry.registerMetric(usable);
  registry.registerMetric(complete);
}
