import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useState } from 'react';
import * as z from 'zod/mini';
import { call } from '../../api/call.ts';
import type { Store } from '../../api/queries.ts';
import { queryClient } from '../../api/queries.ts';
import { Failure } from '../../forms/failure.tsx';
import { formOf } from '../../forms/schemas.ts';
import { useApiForm } from '../../forms/use-api-form.ts';
import type { WordKey } from '../../language/words.ts';
import { useWords } from '../../language/words.ts';
import { Button } from '../../parts/button.tsx';
import { SelectField } from '../../parts/choice.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';

const URL_FAULT: WordKey = 'testEvent.urlFault';
const MAX_URL = 500;
const schema = formOf({ url: z.string().check(z.trim(), z.regex(/^(?:https?:\/\/\S+)?$/, URL_FAULT)) });

type TestEventProps = {
  account: string;
  stores: readonly Store[];
  /** The initial store and address. */
  chosen?: { store: string; url: string } | undefined;
  onClose: () => void;
};

export function TestEventDialog({ account, stores, chosen, onClose }: TestEventProps): ReactNode {
  const t = useWords();
  const navigate = useNavigate();
  const [store, setStore] = useState(chosen?.store ?? stores[0]?.merchant_id ?? '');
  const { field, submit, isSubmitting, failure } = useApiForm({
    schema,
    defaults: { url: chosen?.url ?? '' },
    send: async ({ url }) => {
      const body = url === '' ? {} : { url };
      const made = await call('POST /accounts/{account}/stores/{store}/webhook-test', {
        path: { account, store },
        body,
      });
      void queryClient.invalidateQueries({ queryKey: ['deliveries', account] });
      await navigate({ to: '/m/$account/webhooks/$delivery', params: { account, delivery: made.event } });
    },
  });
  return (
    <Dialog
      title={t('hooks.test')}
      onClose={onClose}
      onSubmit={submit}
      foot={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button look="main" icon="send" type="submit" busy={isSubmitting && t('action.sending')}>
            {t('testEvent.send')}
          </Button>
        </>
      }
    >
      <p className="quiet">{t('testEvent.about')}</p>
      <SelectField
        label={t('testEvent.store')}
        value={store}
        onChange={setStore}
        options={stores.map((one) => ({ value: one.merchant_id, label: one.name }))}
      />
      <Field
        label={t('testEvent.url')}
        hint={t('testEvent.urlHint')}
        maxLength={MAX_URL}
        inputMode="url"
        autoComplete="off"
        code
        {...field('url')}
      />
      <Failure cause={failure} />
    </Dialog>
  );
}
