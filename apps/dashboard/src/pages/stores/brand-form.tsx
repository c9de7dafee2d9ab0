import type { ReactNode } from 'react';
import { useState } from 'react';
import * as z from 'zod/mini';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/queries.ts';
import type { Brand } from '../../api/store-queries.ts';
import { brandQuery } from '../../api/store-queries.ts';
import { Failure } from '../../forms/failure.tsx';
import { formOf } from '../../forms/schemas.ts';
import { useApiForm } from '../../forms/use-api-form.ts';
import { useWords } from '../../language/words.ts';
import { Field } from '../../parts/field.tsx';
import { SaveBar } from '../../parts/save-bar.tsx';
import { Section } from '../../parts/section.tsx';
import { isColour } from './accent.ts';
import { BrandPreview } from './brand-preview.tsx';
import { ColourField } from './colour-field.tsx';
import { bytesOf } from './logo-file.ts';
import type { LogoChange } from './logo-field.tsx';
import { LogoField } from './logo-field.tsx';

const MAX_NAME = 255;

const isEmptyOr = (fits: (text: string) => boolean) => (text: string) => text === '' || fits(text);
const schema = formOf({
  display_name: z.string().check(z.trim(), z.maxLength(MAX_NAME, 'fault.long')),
  accent: z.string().check(z.trim(), z.refine(isEmptyOr(isColour), 'fault.colour')),
  support_url: z.string().check(
    z.trim(),
    z.refine(
      isEmptyOr((text) => /^https:\/\/\S+\.\S+$/.test(text)),
      'fault.contact',
    ),
  ),
  support_email: z.string().check(
    z.trim(),
    z.refine(
      isEmptyOr((text) => /^\S+@\S+$/.test(text)),
      'fault.mail',
    ),
  ),
});

const valuesOf = (brand: Brand) => ({
  display_name: brand.display_name ?? '',
  accent: brand.accent ?? '',
  support_url: brand.support_url ?? '',
  support_email: brand.support_email ?? '',
});

const orNull = (text: string) => (text === '' ? null : text);

const logoBody = (change: LogoChange) => {
  if (change === 'keep') return {};
  return { logo: change === 'remove' ? null : bytesOf(change.address) };
};

type Fields = Pick<ReturnType<typeof useApiForm<z.infer<typeof schema>>>, 'field' | 'form'>;

/** The support contact for payers. */
function ContactFields({ field, readOnly }: Pick<Fields, 'field'> & { readOnly: boolean }): ReactNode {
  const t = useWords();
  return (
    <div className="grid g-2">
      <Field
        label={t('brand.url')}
        hint={t('brand.urlHint')}
        type="url"
        inputMode="url"
        autoComplete="off"
        readOnly={readOnly}
        code
        {...field('support_url')}
      />
      <Field
        label={t('brand.mail')}
        hint={t('brand.mailHint')}
        type="email"
        inputMode="email"
        autoComplete="off"
        readOnly={readOnly}
        code
        {...field('support_email')}
      />
    </div>
  );
}

type LookFieldsProps = Fields & { storeName: string; readOnly: boolean };

/** Name and colour for payers. */
function LookFields({ field, form, storeName, readOnly }: LookFieldsProps): ReactNode {
  const t = useWords();
  return (
    <>
      <Field
        label={t('brand.name')}
        hint={t('brand.nameHint', { name: storeName })}
        autoComplete="off"
        readOnly={readOnly}
        {...field('display_name')}
      />
      <ColourField
        colour={form.watch('accent')}
        onPick={(colour) => form.setValue('accent', colour, { shouldDirty: true, shouldValidate: true })}
        readOnly={readOnly}
        {...field('accent')}
      />
    </>
  );
}

type BrandFormProps = { account: string; store: string; storeName: string; brand: Brand; mayChange: boolean };

/** A store's name, colour, logo and contact, with a preview. */
export function BrandForm({ account, store, storeName, brand, mayChange }: BrandFormProps): ReactNode {
  const t = useWords();
  const [logo, setLogo] = useState<LogoChange>('keep');
  const [isSaved, setSaved] = useState(false);
  const { field, submit, isSubmitting, failure, form } = useApiForm({
    schema,
    defaults: valuesOf(brand),
    send: async (values) => {
      const body = {
        display_name: orNull(values.display_name),
        accent: orNull(values.accent),
        support_url: orNull(values.support_url),
        support_email: orNull(values.support_email),
        ...logoBody(logo),
      };
      const after = await call('PUT /accounts/{account}/stores/{store}/brand', { path: { account, store }, body });
      queryClient.setQueryData(brandQuery(account, store).queryKey, after);
      form.reset(valuesOf(after));
      setLogo('keep');
      setSaved(true);
    },
  });
  const values = form.watch();
  const undo = () => {
    form.reset(valuesOf(brand));
    setLogo('keep');
    setSaved(false);
  };
  const look = {
    name: values.display_name.trim() === '' ? storeName : values.display_name.trim(),
    accent: values.accent,
    support: values.support_url === '' ? values.support_email : values.support_url,
    logo: typeof logo === 'object' ? logo.address : undefined,
  };
  return (
    <div className="grid g-main">
      <Section title={t('brand.title')} about={mayChange ? t('brand.about') : t('store.readOnly')}>
        <form className="card-body stack stack-l" noValidate onSubmit={submit}>
          <LookFields field={field} form={form} storeName={storeName} readOnly={!mayChange} />
          <LogoField hasLogo={brand.logo !== null} change={logo} onChange={setLogo} disabled={!mayChange} />
          <ContactFields field={field} readOnly={!mayChange} />
          <Failure cause={failure} />
          {mayChange && (
            <SaveBar
              isDirty={form.formState.isDirty || logo !== 'keep'}
              isSaving={isSubmitting}
              isSaved={isSaved}
              onUndo={undo}
            />
          )}
        </form>
      </Section>
      <Section title={t('brand.preview')} about={t('brand.previewAbout')}>
        <div className="card-body">
          <BrandPreview {...look} />
        </div>
      </Section>
    </div>
  );
}
