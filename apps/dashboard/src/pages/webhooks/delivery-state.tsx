import type { ReactNode } from 'react';
import { useWords } from '../../language/words.ts';
import { Badge } from '../../parts/badge.tsx';

type DeliveryState = 'pending' | 'delivered' | 'failed';

type DeliveryBadgeProps = {
  state: DeliveryState;
  attempts: number;
  /** Whether the same event reached the same address later. */
  later?: boolean;
};

/** A delivery's state as icon, word and tint. */
export function DeliveryBadge({ state, attempts, later = false }: DeliveryBadgeProps): ReactNode {
  const t = useWords();
  if (state === 'delivered') {
    return (
      <Badge tone="good" icon="check">
        {t('delivery.delivered')}
      </Badge>
    );
  }
  if (state === 'pending') {
    return (
      <Badge tone={attempts === 0 ? 'quiet' : 'warn'} icon={attempts === 0 ? 'ring' : 'clock'}>
        {attempts === 0 ? t('delivery.pending') : t('delivery.retrying')}
      </Badge>
    );
  }
  if (later) {
    return (
      <Badge tone="info" icon="check">
        {t('delivery.later')}
      </Badge>
    );
  }
  return (
    <Badge tone="bad" icon="x">
      {t('delivery.failed')}
    </Badge>
  );
}

export const isGood = (status: number | null): boolean => status !== null && status >= 200 && status < 300;
