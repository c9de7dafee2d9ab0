import type { Registry } from 'prom-client';
import { Counter, Histogram } from 'prom-client';
import { CREATED_INVOICES, ENDED_INVOICES, ENDED_OUTCOMES } from '../invoices/invoice-topics.ts';

const MODES = ['live', 'test'] as const;
const PAYMENT_BUCKETS_SECONDS = [1, 2, 5, 10, 20, 30, 60, 120, 300, 900, 3_600];

const modeOf = (live: boolean) => (live ? 'live' : 'test');
const secondsOf = (ms: number) => Math.max(0, ms) / 1_000;

/** Counts invoices that this process creates. */
export function countCreatedInvoices(registry: Registry): void {
  const created = new Counter({
    name: 'counterfoil_invoices_created_total',
    help: 'Invoices that this process created, for live or test stores.',
    labelNames: ['mode'],
    registers: [registry],
  });
  for (const mode of MODES) created.inc({ mode }, 0);
  CREATED_INVOICES.subscribe(({ live }) => created.inc({ mode: modeOf(live) }));
}

/** Counts invoices that this process ends, and how long payments of live stores took on each of these networks. */
export function countEndedInvoices(registry: Registry, networks: readonly string[]): void {
  const ended = new Counter({
    name: 'counterfoil_invoices_ended_total',
    help: 'Invoices that this process ended, for live or test stores. One that expired and is then paid counts twice.',
    labelNames: ['outcome', 'mode'],
    registers: [registry],
  });
  const options = { labelNames: ['network'], buckets: PAYMENT_BUCKETS_SECONDS, registers: [registry] };
  const detection = new Histogram({
    ...options,
    name: 'counterfoil_payment_detection_seconds',
    help: 'Time from the block of a payment that completed an invoice until it was first seen.',
  });
  const completion = new Histogram({
    ...options,
    name: 'counterfoil_payment_completion_seconds',
    help: 'Time from the block of a payment until its invoice was completed.',
  });
  for (const mode of MODES) for (const outcome of ENDED_OUTCOMES) ended.inc({ outcome, mode }, 0);
  for (const network of networks) for (const one of [detection, completion]) one.zero({ network });
  ENDED_INVOICES.subscribe((invoices) => {
    for (const { live, outcome, payment } of invoices) {
      ended.inc({ outcome, mode: modeOf(live) });
      if (!live || !payment) continue;
      detection.observe({ network: payment.network }, secondsOf(payment.detectedMs));
      completion.observe({ network: payment.network }, secondsOf(payment.completedMs));
    }
  });
}
