import type { ClientRefusal } from '../../../src/networks/client-refusals.ts';
import type { NetworkProfile } from '../../../src/networks/profile.ts';
import type { NodeFaults } from './network-faults.ts';

/** Heights of block tags, by the profile of a network. */

export type TagView = {
  profile: NetworkProfile;
  faults: NodeFaults;
  /** Newest executed block. */
  latest: number;
  random: () => number;
};

/**
 * Height of `finalized`. Where validators' votes decide, answers differ and the tag may go back; elsewhere the tag
 * stays while the head moves on, and then jumps.
 */
function finalizedAt({ profile, faults, latest, random }: TagView): number {
  const { least, most } = profile.finalizedLagBlocks;
  const span = most - least + 1;
  const lag = least + (profile.finalizedMonotonic ? latest % span : Math.floor(random() * span));
  return Math.max(0, Math.min(latest - lag, faults.finalizedStandsAt ?? latest));
}

function safeAt(view: TagView, lagSeconds: number): number {
  const blocks = Math.ceil(lagSeconds / view.profile.blockSeconds);
  return Math.max(0, view.latest - blocks, finalizedAt(view));
}

/** Height of a tag, or the refusal of a client that does not know the tag; undefined for anything that is not a tag. */
export function heightOfTag(view: TagView, tag: string): number | ClientRefusal | undefined {
  const { profile, faults, latest } = view;
  switch (tag) {
    case 'earliest':
      return 0;
    case 'latest':
    case 'pending':
      return latest;
    case 'finalized': {
      const { finalized } = profile.refusals;
      const refused = faults.finalizedUnknown && finalized !== null && finalized !== 'unknown';
      return refused ? finalized : finalizedAt(view);
    }
    case 'safe': {
      const { safe } = profile;
      if (safe === null) return undefined;
      if ('refusal' in safe) return safe.refusal;
      return safeAt(view, faults.slowSafe ? safe.lagSecondsMost : safe.lagSeconds);
    }
    default:
      return undefined;
  }
}
