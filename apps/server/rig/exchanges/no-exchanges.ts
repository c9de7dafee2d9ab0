/** Settings about exchange accounts for the context of commands that use none; their values do not matter. */
export const NO_EXCHANGES = { anyBaseUrl: true, egressAddresses: [] };
