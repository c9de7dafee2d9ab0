/**
 * Flags with which Node processes are started, as docs/operations/install.md says: without these flags short-lived objects may
 * fill 128 MB before they are collected.
 */
export const NODE_FLAGS = ['--max-semi-space-size=32'];
