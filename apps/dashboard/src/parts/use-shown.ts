import type { RefObject } from 'react';
import { useEffect, useRef, useState } from 'react';

/** Whether an element has been visible: its data is loaded only then. */
export function useShown<Shown extends Element>(): { ref: RefObject<Shown | null>; isShown: boolean } {
  const ref = useRef<Shown>(null);
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (element === null || isShown) return undefined;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setShown(true);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [isShown]);
  return { ref, isShown };
}
