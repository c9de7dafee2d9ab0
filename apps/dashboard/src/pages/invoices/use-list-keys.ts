import { useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import type { ListedInvoice } from '../../api/invoice-queries.ts';
import { useAccount } from '../../frame/membership.ts';
import { isTyping, keysAreOn } from '../../frame/single-keys.ts';
import { useInvoiceSearch } from './use-invoice-list.ts';

export const rowLink = (code: string): HTMLElement | null =>
  document.querySelector(`[data-code="${CSS.escape(code)}"]`);

type ListKeysInput = { rows: readonly ListedInvoice[]; onCopy: (code: string) => void };

/** Shortcuts of list and drawer: j and k move, o opens, c copies. */
export function useListKeys({ rows, onCopy }: ListKeysInput): void {
  const { account } = useAccount();
  const navigate = useNavigate();
  const { search, change } = useInvoiceSearch();
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target) || !keysAreOn()) return;
    // Other dialogs have their own keys.
    if (document.querySelector('.dialog, .palette') !== null) return;
    const focused = document.activeElement?.getAttribute('data-code') ?? undefined;
    const present = search.invoice ?? focused;
    const at = rows.findIndex((one) => one.trans_id === present);
    const step = { j: 1, k: -1 }[event.key];
    if (step !== undefined) {
      const next = rows[at === -1 ? 0 : at + step]?.trans_id;
      if (next !== undefined && search.invoice !== undefined) change({ invoice: next }, true);
      else if (next !== undefined) rowLink(next)?.focus();
    } else if (event.key === 'o' && present !== undefined)
      void navigate({ to: '/m/$account/invoices/$tid', params: { account, tid: present } });
    else if (event.key === 'c' && present !== undefined) onCopy(present);
    else return;
    event.preventDefault();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    addEventListener('keydown', listener);
    return () => removeEventListener('keydown', listener);
  }, []);
}
