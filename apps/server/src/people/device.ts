const DAY_MS = 86_400_000;

/** How long a browser is remembered after a sign-in, and how many of one user. */
export const DEVICE_DAYS = 180;
export const MAX_DEVICES = 10;

/** Devices that were last used before this moment are unknown. */
export const devicesSince = (nowMs: number) => new Date(nowMs - DEVICE_DAYS * DAY_MS);
