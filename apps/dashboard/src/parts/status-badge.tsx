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
const ARRIVED: Look = { tone: 'warn', icon: 'inbox', word: 'status.arrived' };

type StatusBadgeProps = {
  status: InvoiceStatus;
  late?: boolean;
  /** Whether it expired although money arrived. */
  arrived?: boolean;
};

export function StatusBadge({ status, late = false, arrived = false }: StatusBadgeProps): ReactNode {
  const t = useWords();
  const special = status === 'completed' && late ? LATE : status === 'expired' && arrived ? ARRIVED : undefined;
  const { tone, icon, word } = special ?? LOOKS[status];
  return (
    <Badge tone={tone} icon={icon}>
      {t(word)}
    </Badge>
  );
}
