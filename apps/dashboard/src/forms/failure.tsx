import { MINUTE_SECONDS } from '@counterfoil/core/duration.ts';
import { i18n } from '@lingui/core';
import type { ReactNode } from 'react';
import { ApiError } from '../api/api-error.ts';
import { useMoments } from '../language/moments.ts';
import type { WordKey, Words } from '../language/words.ts';
import { useWords } from '../language/words.ts';
import { CodeText } from '../parts/code-text.tsx';
import { Note } from '../parts/note.tsx';

/** Failures that the user cannot fix: support needs the request id. */
const OURS = new Set<string>(['INTERNAL_ERROR', 'VALIDATION_ERROR', 'FOREIGN_REQUEST', 'UNSUPPORTED_MEDIA_TYPE']);

/** The error text; browser refusals of passkeys have their own. */
export function failureText(t: Words, cause: unknown): string {
  if (cause instanceof ApiError) {
    const { retry_after_seconds: seconds } = cause.details;
    if (typeof seconds === 'number') return t('error.wait', { minutes: Math.ceil(seconds / MINUTE_SECONDS) });
    const key: WordKey = `error.${cause.code}`;
    return key in i18n.messages ? t(key) : t('error.INTERNAL_ERROR');
  }
  const name = cause instanceof Error ? cause.name : '';
  if (name === 'NotAllowedError' || name === 'AbortError') return t('error.passkey.stopped');
  if (name === 'InvalidStateError') return t('error.passkey.known');
  if (name === 'SecurityError') return t('error.passkey.host');
  return t('error.INTERNAL_ERROR');
}

/** Shows an error, with the request id where useful. */
export function Failure({ cause }: { cause: unknown }): ReactNode {
  const t = useWords();
  const moments = useMoments();
  if (cause === undefined || cause === null) return null;
  const until = cause instanceof ApiError && cause.code === 'OWNER_NEEDED' ? Number(cause.details['until']) : undefined;
  const title = until === undefined ? failureText(t, cause) : t('error.OWNER_NEEDED', { time: moments.long(until) });
  const requestId = cause instanceof ApiError && OURS.has(cause.code) ? cause.requestId : undefined;
  return (
    <Note tone="bad" title={title} live>
      {requestId !== undefined && (
        <p className="small">
          {t('error.tell')} <CodeText code={requestId} label={t('copy.request')} />
        </p>
      )}
    </Note>
  );
}
