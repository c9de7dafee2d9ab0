import { TRANS_ID_WITHIN } from '@counterfoil/core/code.ts';
import type { ReactNode } from 'react';
import { useWords } from '../language/words.ts';
import { CopyIcon } from './copy.tsx';

/** Codes and addresses: left to right in every language, cut in the middle, copied whole. */

const SHOWN = 6;
const GROUP = 4;
const ENDING = 6;

/** A code that is never cut. */
export function CodeText({ code, label }: { code: string; label: string }): ReactNode {
  return (
    <span className="hash">
      <bdi dir="ltr">{code}</bdi>
      <CopyIcon text={code} label={label} />
    </span>
  );
}

/** Keeps invoice codes in a sentence on one line. */
export function KeptCodes({ text }: { text: string }): ReactNode {
  return text.split(TRANS_ID_WITHIN).map((part, place) =>
    TRANS_ID_WITHIN.test(part) ? (
      // oxlint-disable-next-line react/no-array-index-key -- the parts of a sentence have no other name
      <bdi key={place} dir="ltr" className="nowrap">
        {part}
      </bdi>
    ) : (
      part
    ),
  );
}

/** An address or hash, cut in the middle; `label` says what is copied if it is no address. */
export function ShortAddress({ address, label }: { address: string; label?: string }): ReactNode {
  const t = useWords();
  const isShort = address.length <= 2 * SHOWN + 2;
  return (
    <span className="hash">
      <bdi dir="ltr">
        {isShort ? (
          address
        ) : (
          <>
            {address.slice(0, SHOWN + 2)}
            <i>…</i>
            {address.slice(-SHOWN)}
          </>
        )}
      </bdi>
      <CopyIcon text={address} label={label ?? t('copy.address')} />
    </span>
  );
}

/** A receiving address in groups of four, its ending marked. */
export function WholeAddress({ address }: { address: string }): ReactNode {
  const t = useWords();
  const head = address.slice(0, -ENDING);
  const groups = head.match(new RegExp(`.{1,${GROUP}}`, 'g')) ?? [];
  return (
    <span className="row between">
      <bdi dir="ltr" className="addr">
        {groups.map((group, index) => `${group}${index < groups.length ? ' ' : ''}`).join('')}
        <b>{address.slice(-ENDING)}</b>
      </bdi>
      <CopyIcon text={address} label={t('copy.address')} />
    </span>
  );
}
