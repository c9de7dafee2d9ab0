/** The version of the public contract, in every response and event. Only additions raise it. */
export const API_VERSION = '2026-11-15';
