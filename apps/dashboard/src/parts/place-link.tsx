import { useRouter } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';

type PlaceLinkProps = {
  path: string;
  /** Query parameters; undefined ones are left out. */
  search?: Readonly<Record<string, string | number | undefined>>;
  className?: string;
  label?: string;
  children: ReactNode;
};

function placeOf(path: string, search: PlaceLinkProps['search'] = {}): string {
  const asked = Object.entries(search).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  const text = new URLSearchParams(asked).toString();
  return text === '' ? path : `${path}?${text}`;
}

/** A link to a path from data, such as a filtered list, which opens in a new tab like any other. */
export function PlaceLink({ path, search, className, label, children }: PlaceLinkProps): ReactNode {
  const router = useRouter();
  const href = placeOf(path, search);
  const go = (event: MouseEvent) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void router.navigate({ href });
  };
  return (
    <a href={href} className={className} aria-label={label} onClick={go}>
      {children}
    </a>
  );
}
