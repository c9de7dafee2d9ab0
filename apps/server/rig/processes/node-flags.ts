/**
 * Flags with which processes are started, as docs/operations.md says: without them short-lived objects may fill 128 MB
 * before they are collected.
 */
export const NODE_FLAGS = ['--max-semi-space-size=32'];
