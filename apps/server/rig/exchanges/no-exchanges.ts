/** Settings of a command's context about what is asked outside: private addresses are allowed, as in development. */
export const NO_EXCHANGES = { privateCallbacks: true, anyBaseUrl: true, egressAddresses: [] };
