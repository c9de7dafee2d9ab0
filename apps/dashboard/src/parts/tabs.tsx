import type { ReactNode } from 'react';

/** Links to the pages that belong together; the present one is marked by `aria-current`, as links of the router do. */
export function Tabs({ label, children }: { label: string; children: ReactNode }): ReactNode {
  return (
    <nav className="tabs" aria-label={label}>
      {children}
    </nav>
  );
}
