import type { Pass } from '../../src/sources/chain-source.ts';

/** Which of two providers answers for a pass, for rigs in which one provider lies. */
export function answeringOf([first = '', second = '']: readonly string[], pass: Pass): string {
  if (pass === 'first') return first;
  if (pass === 'second') return second;
  if ('only' in pass) return pass.only;
  return pass.not === first ? second : first;
}

/** Another address of the same node on this machine, which counts as another provider. */
export const otherAddressOf = (url: string) => url.replace('127.0.0.1', 'localhost');
