const NAMES = new Set(['PATH', 'NODE_COMPILE_CACHE', 'NODE_V8_COVERAGE', 'LD_PRELOAD']);

/**
 * What every started process inherits: the toolchain, the cache of compiled code (it halves the time of a start), the
 * folder in which its calls are recorded, and the mode of `pnpm rough`. Settings of the product are not inherited.
 */
export function inheritedEnvironment(): Record<string, string> {
  const variables = Object.entries(process.env).filter(([name]) => NAMES.has(name) || name.startsWith('ROUGH_'));
  return Object.fromEntries(variables.map(([name, value]) => [name, value ?? '']));
}
