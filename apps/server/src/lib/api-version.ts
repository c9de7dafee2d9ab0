/**
 * The version of the public contract, shown on every response and in every event. Only changes that add something raise
 * it.
 */
export const API_VERSION = '2026-11-15';
