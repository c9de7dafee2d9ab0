import type { ReactNode } from 'react';

export function Logo(): ReactNode {
  return (
    <span className="logo">
      <svg viewBox="0 0 22 22" fill="none" aria-hidden="true">
        <path d="M3 5.5h5.2v11H3z" fill="currentColor" opacity=".55" />
        <path d="M10.2 4v14" stroke="currentColor" strokeWidth="1.5" strokeDasharray="1.5 2" />
        <path d="M12.2 5.5H19v11h-6.8z" fill="currentColor" />
      </svg>
    </span>
  );
}
