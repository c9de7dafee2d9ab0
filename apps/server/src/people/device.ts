import { DAY_MS } from '@counterfoil/core/duration.ts';

/** How long a browser is remembered, and how many per user. */
export const DEVICE_DAYS = 180;
export const MAX_DEVICES = 10;

export const devicesSince = (nowMs: number) => new Date(nowMs - DEVICE_DAYS * DAY_MS);
