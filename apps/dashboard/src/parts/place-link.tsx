import { useRouter } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';

type PlaceLinkProps = {
  /** An address within the app. */
  path: string;
  /** What the address asks for; what is undefined is left out. */
  search?: Readonly<Record<string, string | number | undefined>>;
  className?: string;
  label?: string;
  children: ReactNode;
};

/** The whole address of a place. */
function placeOf(path: string, search: PlaceLinkProps['search'] = {}): string {
  const asked = Object.entries(search).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  const text = new URLSearchParams(asked).toString();
  return text === '' ? path : `${path}?${text}`;
}

/** A link to a place that data names, such as a list with filters. It opens in a new tab as any link does. */
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
