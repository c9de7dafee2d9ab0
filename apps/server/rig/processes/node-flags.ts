/** How processes are started, as docs/operations.md says: otherwise short-lived objects may fill 128 MB before they are collected. */
export const NODE_FLAGS = ['--max-semi-space-size=32'];
