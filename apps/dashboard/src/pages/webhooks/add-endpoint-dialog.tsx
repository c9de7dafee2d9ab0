import type { InvoiceEventType } from '@counterfoil/core/event-type.ts';
import type { ReactNode } from 'react';
import { useState } from 'react';
import * as z from 'zod/mini';
import { call } from '../../api/call.ts';
import { refreshEndpoints } from '../../api/endpoint-queries.ts';
import type { Store } from '../../api/queries.ts';
import { Failure } from '../../forms/failure.tsx';
import { formOf } from '../../forms/schemas.ts';
import { useApiForm } from '../../forms/use-api-form.ts';
import type { WordKey } from '../../language/words.ts';
import { useWords } from '../../language/words.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { EventTypesField } from './event-types-field.tsx';
import { MadeSecretDialog } from './made-secret-dialog.tsx';

const URL_FAULT: WordKey = 'testEvent.urlFault';
const MAX_URL = 500;
const schema = formOf({ url: z.string().check(z.trim(), z.regex(/^https?:\/\/\S+$/, URL_FAULT)) });
const USUAL: readonly InvoiceEventType[] = ['invoice.completed', 'invoice.expired'];

type AddEndpointProps = { account: string; store: Store; onClose: () => void };

export function AddEndpointDialog({ account, store, onClose }: AddEndpointProps): ReactNode {
  const t = useWords();
  const [types, setTypes] = useState(USUAL);
  const [pressed, setPressed] = useState(false);
  const [secret, setSecret] = useState<string>();
  const { field, submit, isSubmitting, failure } = useApiForm({
    schema,
    defaults: { url: '' },
    send: async ({ url }) => {
      setPressed(true);
      if (types.length === 0) return;
      const made = await call('POST /accounts/{account}/stores/{store}/endpoints', {
        path: { account, store: store.merchant_id },
        body: { url, types: [...types] },
      });
      setSecret(made.webhook_secret);
      await refreshEndpoints(account, store.merchant_id);
    },
  });
  const title = t('endpoint.addTo', { name: store.name });
  if (secret !== undefined)
    return <MadeSecretDialog title={title} note={t('endpoint.added')} secret={secret} onClose={onClose} />;
  const foot = (
    <>
      <Button onClick={onClose}>{t('action.cancel')}</Button>
      <Button look="main" type="submit" busy={isSubmitting && t('action.saving')}>
        {t('endpoint.add')}
      </Button>
    </>
  );
  return (
    <Dialog title={title} onClose={onClose} onSubmit={submit} foot={foot} sticky>
      <p className="quiet">{t('endpoint.addAbout')}</p>
      <Field label={t('testEvent.url')} maxLength={MAX_URL} inputMode="url" autoComplete="off" code {...field('url')} />
      <EventTypesField types={types} onChange={setTypes} needed={pressed} />
      <Failure cause={failure} />
    </Dialog>
  );
}
