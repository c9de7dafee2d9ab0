import type { DashboardErrorCode } from '@counterfoil/core/refusal-code.ts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ApiError } from '../../api/api-error.ts';
import type { Attachment, UnmatchedSearch } from '../../api/unmatched-queries.ts';
import { failureText } from '../../forms/failure.tsx';
import { useWords } from '../../language/words.ts';
import { InvoiceLink } from '../../parts/invoice-link.tsx';
import { Note } from '../../parts/note.tsx';

type AttachmentNoteProps = { account: string; attachment: Attachment; search: UnmatchedSearch };

export function AttachmentNote({ account, attachment, search }: AttachmentNoteProps): ReactNode {
  const t = useWords();
  const { state, invoice, fault } = attachment;
  if (state === 'asked') {
    return (
      <Note tone="info" icon="half" title={t('unmatched.waiting')} live>
        <p>{t('unmatched.waitingAbout', { invoice })}</p>
      </Note>
    );
  }
  if (state === 'done') {
    const actions = (
      <>
        <InvoiceLink account={account} invoice={invoice} className="b">
          {t('unmatched.seeInvoice')}
        </InvoiceLink>
        <Link className="b b-quiet" to="/m/$account/unmatched" params={{ account }} search={search}>
          {t('unmatched.next')}
        </Link>
      </>
    );
    return (
      <Note tone="good" title={t('unmatched.done', { invoice })} actions={actions} live>
        <p>{t('unmatched.doneAbout')}</p>
      </Note>
    );
  }
  return (
    <Note tone="bad" title={t('unmatched.failed')} live>
      <p>
        {failureText(t, new ApiError((fault ?? 'INTERNAL_ERROR') as DashboardErrorCode))} {t('unmatched.failedAgain')}
      </p>
    </Note>
  );
}
