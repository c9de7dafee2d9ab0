import type { ReactNode } from 'react';
import type { WordKey } from '../language/words.ts';
import { useWords } from '../language/words.ts';
import { Badge } from './badge.tsx';
import type { IconName } from './icon.tsx';

/** An invoice's state as icon, word and tint. Shapes differ, so it is readable without colour. */

export type InvoiceStatus = 'waiting' | 'processing' | 'completed' | 'expired';

type Look = { tone: 'good' | 'info' | 'warn' | 'quiet'; icon: IconName; word: WordKey };

const LOOKS: Record<InvoiceStatus, Look> = {
  waiting: { tone: 'quiet', icon: 'ring', word: 'status.waiting' },
  processing: { tone: 'info', icon: 'half', word: 'status.processing' },
  completed: { tone: 'good', icon: 'check', word: 'status.completed' },
  expired: { tone: 'quiet', icon: 'dash', word: 'status.expired' },
};
const LATE: Look = { tone: 'good', icon: 'clock', word: 'status.late' };
const CANCELLED: Look = { tone: 'quiet', icon: 'x', word: 'status.cancelled' };
const CANCELLED_ARRIVED: Look = { tone: 'warn', icon: 'inbox', word: 'status.cancelledArrived' };
const ARRIVED: Look = { tone: 'warn', icon: 'inbox', word: 'status.arrived' };

type StatusBadgeProps = {
  status: InvoiceStatus;
  late?: boolean;
  /** Whether it ended because it was cancelled. */
  cancelled?: boolean;
  /** Whether it expired although money arrived. */
  arrived?: boolean;
};

function lookOf({ status, late = false, cancelled = false, arrived = false }: StatusBadgeProps): Look {
  if (status === 'completed' && late) return LATE;
  if (status !== 'expired') return LOOKS[status];
  if (cancelled) return arrived ? CANCELLED_ARRIVED : CANCELLED;
  return arrived ? ARRIVED : LOOKS.expired;
}

export function StatusBadge(props: StatusBadgeProps): ReactNode {
  const t = useWords();
  const { tone, icon, word } = lookOf(props);
  return (
    <Badge tone={tone} icon={icon}>
      {t(word)}
    </Badge>
  );
}
