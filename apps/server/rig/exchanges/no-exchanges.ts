/** The part of an operator's context that commands without exchange accounts never use. */
export const NO_EXCHANGES = { anyBaseUrl: true, egressAddresses: [] };
