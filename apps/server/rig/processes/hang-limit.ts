/** A limit that only bounds hangs: longer where `pnpm rough` delays queries, shorter while a bug is planted. */
export const hangLimitMs = (ms: number): number => ms * Number(process.env['ROUGH_LIMIT_FACTOR'] ?? '1');
