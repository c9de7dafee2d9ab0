import type { ReactNode } from 'react';

const GROUP = 4;
/** Marked groups at the end, which people compare. */
const MARKED = 2;

/** An address in groups of four, counted from its end, with the last two marked. */
export function Groups({ address }: { address: string }): ReactNode {
  const first = address.length % GROUP;
  const head = first === 0 ? [] : [address.slice(0, first)];
  const groups = [...head, ...(address.slice(first).match(new RegExp(`.{${GROUP}}`, 'g')) ?? [])];
  const end = groups.slice(-MARKED).join(' ');
  return (
    <bdi dir="ltr" className="addr">
      {`${groups.slice(0, -MARKED).join(' ')} `}
      <b>{end}</b>
    </bdi>
  );
}
