import type { ReactNode } from 'react';

/** Links to related pages; the present one has `aria-current`. */
export function Tabs({ label, children }: { label: string; children: ReactNode }): ReactNode {
  return (
    <nav className="tabs" aria-label={label}>
      {children}
    </nav>
  );
}
