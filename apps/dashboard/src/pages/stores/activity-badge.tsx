import type { ReactNode } from 'react';
import { useWords } from '../../language/words.ts';
import { Badge } from '../../parts/badge.tsx';

export function ActivityBadge({ active }: { active: boolean }): ReactNode {
  const t = useWords();
  return active ? (
    <Badge tone="good" icon="check">
      {t('stores.active')}
    </Badge>
  ) : (
    <Badge tone="quiet" icon="dash">
      {t('stores.inactive')}
    </Badge>
  );
}
