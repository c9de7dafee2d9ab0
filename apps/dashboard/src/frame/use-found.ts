import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { FoundResult } from '../api/invoice-queries.ts';
import { searchQuery } from '../api/invoice-queries.ts';
import type { InvoiceStatus } from '../parts/status-badge.tsx';
import { useMoney } from '../language/money.ts';
import { useWords } from '../language/words.ts';
import { recognise } from './recognise.ts';

/** A palette entry for a search result. */
export type FoundEntry = {
  key: string;
  label: string;
  about: string;
  icon: 'invoice' | 'inbox';
  status: InvoiceStatus | undefined;
  run: () => void;
};

const PAUSE_MS = 200;
const SHOWN = 6;
const STATUSES = new Set<string>(['waiting', 'processing', 'completed', 'expired']);

const cut = (text: string) =>
  text.length <= 2 * SHOWN + 2 ? text : `${text.slice(0, SHOWN + 2)}…${text.slice(-SHOWN)}`;

/** A text after typing has paused. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** Search results for a typed text, and whether more are loading. */
export function useFound(account: string, typed: string): { found: FoundEntry[]; isLooking: boolean } {
  const t = useWords();
  const { token } = useMoney();
  const navigate = useNavigate();
  const text = useSettled(typed).trim();
  const wanted = account !== '' && recognise(text) !== undefined;
  const { data, isFetching } = useQuery({ ...searchQuery(account, text), enabled: wanted });
  const nameOf = (one: FoundResult) => {
    const money = one.token_amount !== null && one.token !== null ? token(one.token_amount, one.token) : undefined;
    if (one.transfer !== null || one.trans_id === null) return money ?? t('find.unmatched');
    return one.name ?? one.request_id ?? one.trans_id;
  };
  const aboutOf = (one: FoundResult) => {
    const what =
      one.matched === 'event' ? one.event : one.matched.startsWith('request') ? one.request_id : one.transaction;
    const matched = t(`find.matched.${one.matched}`, { what: cut(what ?? '') });
    if (one.transfer !== null || one.trans_id === null) return `${t('find.unmatched')} · ${cut(one.transaction ?? '')}`;
    if (['words', 'amount', 'trans_id_start'].includes(one.matched))
      return [one.request_id, one.trans_id].filter((part) => part !== null).join(' · ');
    return one.name !== null && one.request_id !== null && !one.matched.startsWith('request')
      ? `${one.request_id} · ${matched}`
      : matched;
  };
  const entryOf = (one: FoundResult, index: number): FoundEntry => ({
    key: `found-${index}`,
    label: nameOf(one),
    about: aboutOf(one),
    icon: one.transfer !== null || one.trans_id === null ? 'inbox' : 'invoice',
    status: one.transfer === null && STATUSES.has(one.status ?? '') ? (one.status as InvoiceStatus) : undefined,
    run: () => {
      if (one.transfer !== null)
        void navigate({ to: '/m/$account/unmatched/$transfer', params: { account, transfer: one.transfer } });
      else if (one.trans_id === null) void navigate({ to: '/m/$account/unmatched', params: { account } });
      else void navigate({ to: '/m/$account/invoices/$tid', params: { account, tid: one.trans_id } });
    },
  });
  const isSettled = text === typed.trim();
  return {
    found: wanted && isSettled ? (data?.results ?? []).map(entryOf) : [],
    isLooking: recognise(typed) !== undefined && account !== '' && (!isSettled || isFetching),
  };
}
