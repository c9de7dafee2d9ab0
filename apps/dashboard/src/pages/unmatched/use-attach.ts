import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { isCode } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/queries.ts';
import type { Attachment } from '../../api/unmatched-queries.ts';
import { attachmentQuery } from '../../api/unmatched-queries.ts';

const WAIT_SECONDS = 3;

export type Attaching = {
  attach: (invoice: string) => void;
  /** The invoice of the request in progress. */
  sending: string | undefined;
  failure: unknown;
  attachment: Attachment | undefined;
};

export function useAttach(account: string, transfer: string): Attaching {
  const [state, setState] = useState<{ sending?: string; failure?: unknown; code?: string }>({});
  const { code } = state;
  const { data: attachment } = useQuery({ ...attachmentQuery(account, code ?? ''), enabled: code !== undefined });
  const decided = attachment?.state;
  useEffect(() => {
    if (decided === undefined) return;
    void queryClient.invalidateQueries({ queryKey: ['unmatched', account] });
  }, [decided, account]);
  const send = async (invoice: string) => {
    const body = { invoice, wait_seconds: WAIT_SECONDS };
    const path = { account, transfer };
    try {
      const answer = await call('POST /accounts/{account}/unmatched/{transfer}/attach', { path, body });
      queryClient.setQueryData(attachmentQuery(account, answer.attachment).queryKey, answer);
      setState({ code: answer.attachment });
    } catch (cause) {
      setState({ failure: isCode(cause, 'CANCELLED') ? undefined : cause });
    }
  };
  const attach = (invoice: string) => {
    setState({ sending: invoice });
    void send(invoice);
  };
  return { attach, sending: state.sending, failure: state.failure, attachment };
}
