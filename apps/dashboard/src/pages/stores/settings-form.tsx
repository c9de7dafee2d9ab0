import type { ReactNode } from 'react';
import { useState } from 'react';
import * as z from 'zod/mini';
import { call } from '../../api/call.ts';
import type { StoreDetail } from '../../api/store-queries.ts';
import { refreshStore } from '../../api/store-queries.ts';
import { Failure } from '../../forms/failure.tsx';
import { formOf, storeNameField } from '../../forms/schemas.ts';
import { useApiForm } from '../../forms/use-api-form.ts';
import type { WordKey } from '../../language/words.ts';
import { useWords } from '../../language/words.ts';
import { Field } from '../../parts/field.tsx';
import { SaveBar } from '../../parts/save-bar.tsx';
import { Section } from '../../parts/section.tsx';
import { Toggle } from '../../parts/toggle.tsx';

const LIFETIME = { least: 10, most: 1_440 };
const GRACE = { least: 0, most: 1_440 };

const fits = (text: string, { least, most }: { least: number; most: number }) =>
  /^\d{1,4}$/.test(text) && Number(text) >= least && Number(text) <= most;

const minutesField = (limits: { least: number; most: number }, fault: WordKey) =>
  z.string().check(
    z.trim(),
    z.refine((text) => fits(text, limits), fault),
  );

const schema = formOf({
  name: storeNameField,
  lifetime: minutesField(LIFETIME, 'fault.lifetime'),
  grace: minutesField(GRACE, 'fault.grace'),
});

const valuesOf = ({ name, lifetime_minutes: lifetime, grace_minutes: grace }: StoreDetail) => ({
  name,
  lifetime: String(lifetime),
  grace: String(grace),
});

type SettingsProps = { account: string; store: StoreDetail; mayChange: boolean };

/** A store's invoice settings. */
export function SettingsForm({ account, store, mayChange }: SettingsProps): ReactNode {
  const t = useWords();
  const [httpsOnly, setHttpsOnly] = useState(store.https_callbacks_only);
  const [isSaved, setSaved] = useState(false);
  const { field, submit, isSubmitting, failure, form } = useApiForm({
    schema,
    defaults: valuesOf(store),
    send: async ({ name, lifetime, grace }) => {
      const path = { account, store: store.merchant_id };
      const body = {
        name,
        lifetime_minutes: Number(lifetime),
        grace_minutes: Number(grace),
        https_callbacks_only: httpsOnly,
      };
      await call('PATCH /accounts/{account}/stores/{store}', { path, body });
      await refreshStore(account, store.merchant_id);
      form.reset({ name, lifetime, grace });
      setSaved(true);
    },
  });
  const isDirty = form.formState.isDirty || httpsOnly !== store.https_callbacks_only;
  const undo = () => {
    form.reset(valuesOf(store));
    setHttpsOnly(store.https_callbacks_only);
    setSaved(false);
  };
  return (
    <Section title={t('store.settings')} about={mayChange ? t('store.settingsAbout') : t('store.readOnly')}>
      <form className="card-body stack stack-l" noValidate onSubmit={submit}>
        <Field
          label={t('store.nameLabel')}
          hint={t('stores.nameHint')}
          autoComplete="off"
          readOnly={!mayChange}
          {...field('name')}
        />
        <div className="grid g-2">
          <Field
            label={t('store.lifetime')}
            hint={t('store.lifetimeHint')}
            inputMode="numeric"
            readOnly={!mayChange}
            code
            {...field('lifetime')}
          />
          <Field
            label={t('store.grace')}
            hint={t('store.graceHint')}
            inputMode="numeric"
            readOnly={!mayChange}
            code
            {...field('grace')}
          />
        </div>
        <Toggle
          label={t('store.httpsOnly')}
          about={t('store.httpsOnlyAbout')}
          on={httpsOnly}
          onChange={setHttpsOnly}
          disabled={!mayChange}
        />
        <Failure cause={failure} />
        {mayChange && <SaveBar isDirty={isDirty} isSaving={isSubmitting} isSaved={isSaved} onUndo={undo} />}
      </form>
    </Section>
  );
}
