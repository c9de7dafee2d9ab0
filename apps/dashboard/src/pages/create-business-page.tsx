import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { call } from '../api/call.ts';
import { meQuery } from '../api/queries.ts';
import { Failure } from '../forms/failure.tsx';
import { formOf, storeNameField } from '../forms/schemas.ts';
import { useApiForm } from '../forms/use-api-form.ts';
import { useWords } from '../language/words.ts';
import { Badge, ModeBadge } from '../parts/badge.tsx';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { Note } from '../parts/note.tsx';
import { BarePage } from './bare-page.tsx';

const schema = formOf({ name: storeNameField, store: storeNameField });

function BusinessForm(): ReactNode {
  const t = useWords();
  const { field, submit, isSubmitting, failure } = useApiForm({
    schema,
    defaults: { name: '', store: '' },
    send: async (body) => {
      const { account } = await call('POST /accounts', { body });
      // A full page load: what was cached was a user without a business.
      location.assign(`/m/${account}`);
    },
  });
  return (
    <form className="stack" noValidate onSubmit={submit}>
      <Field
        label={t('business.name')}
        hint={t('business.nameHint')}
        autoComplete="organization"
        autoFocus
        {...field('name')}
      />
      <Field
        label={t('business.store')}
        hint={t('business.storeHint')}
        autoComplete="off"
        beside={<ModeBadge mode="test" />}
        {...field('store')}
      />
      <Failure cause={failure} />
      <Button type="submit" look="main" wide busy={isSubmitting && t('action.saving')}>
        {t('business.create')}
      </Button>
    </form>
  );
}

const NEXT = ['test', 'review', 'live'] as const;

/** What happens after a business was created. */
function Next(): ReactNode {
  const t = useWords();
  return (
    <>
      <h2>{t('business.next')}</h2>
      <ol className="next">
        {NEXT.map((step, index) => (
          <li key={step}>
            <span className="ring">{index + 1}</span>
            <p>
              <strong>{t(`business.next.${step}`)}</strong> {t(`business.next.${step}About`)}
            </p>
          </li>
        ))}
      </ol>
    </>
  );
}

/** A user without a business opens one of their own. */
export function CreateBusinessPage(): ReactNode {
  const t = useWords();
  const { data: me } = useQuery(meQuery);
  if (!me) return <BarePage title={t('state.loading')}>{null}</BarePage>;
  if (!me.may_open_account) {
    return (
      <BarePage title={t('business.title')} below={<Link to="/me/security">{t('me.title')}</Link>}>
        <Note tone="info" title={t('business.closed')}>
          <p>{t('business.closedAbout')}</p>
        </Note>
      </BarePage>
    );
  }
  const about = (
    <span className="row row-wrap">
      <bdi>{me.mail}</bdi>
      <Badge tone="good" icon="check">
        {t('business.verified')}
      </Badge>
    </span>
  );
  return (
    <BarePage title={t('business.title')} about={about} below={<Next />}>
      <BusinessForm />
    </BarePage>
  );
}
