/** The public contract's version, on every response and in every event. It moves only with additive changes. */
export const API_VERSION = '2026-11-15';
