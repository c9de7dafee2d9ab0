import type { Role } from '@counterfoil/core/permission.ts';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { may } from '../../api/permission.ts';
import type { Store } from '../../api/queries.ts';
import { methodsQuery, storesQuery } from '../../api/queries.ts';
import { useAccount } from '../../frame/membership.ts';
import { TestFrame } from '../../frame/test-frame.tsx';
import { useWords } from '../../language/words.ts';
import { CodeText } from '../../parts/code-text.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loaded, NotFound } from '../../parts/loaded.tsx';
import { Note } from '../../parts/note.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Section } from '../../parts/section.tsx';
import { CopyKey } from '../copy-key.tsx';
import { EmptyBalanceNote } from '../empty-balance-note.tsx';
import { StoreTabs } from '../stores/store-head.tsx';
import { CopyWebhookSecret } from './copy-webhook-secret.tsx';
import { PayTestInvoice } from './pay-test-invoice.tsx';
import { CodeBlock, SnippetCard } from './snippet-card.tsx';
import { payByCurl } from './snippets.ts';
import { WebhookCard } from './webhook-card.tsx';

type PartProps = { account: string; store: Store; role: Role };

/** The codes that a shop needs. Secrets are copied, never shown. */
function Codes({ account, store, role }: PartProps): ReactNode {
  const t = useWords();
  const isLive = store.mode === 'live';
  return (
    <Section title={t('start.codes')} about={t('start.codesAbout')}>
      <dl className="dl px-5 pb-3">
        <div className="items-center">
          <dt>{t('stores.merchantId')}</dt>
          <dd>
            <CodeText code={store.merchant_id} label={t('stores.copyId', { name: store.name })} />
          </dd>
        </div>
        <div className="items-center">
          <dt>{t('stores.key')}</dt>
          <dd className="row row-wrap justify-end">
            <bdi dir="ltr">
              <code className="nowrap">{store.api_key_hint ?? t('stores.noKey')}</code>
            </bdi>
            {store.api_key_hint !== null && may(role, 'api_key.use', isLive) && (
              <CopyKey account={account} store={store} />
            )}
          </dd>
        </div>
        <div className="items-center">
          <dt>{t('start.secret')}</dt>
          <dd className="row row-wrap justify-end">
            <bdi dir="ltr">
              <code className="nowrap">whsec_····</code>
            </bdi>
            {may(role, 'webhook_secret.use', isLive) && <CopyWebhookSecret account={account} store={store} />}
          </dd>
        </div>
      </dl>
      <p className="small quiet px-5 pb-5">{t('stores.copyAbout')}</p>
    </Section>
  );
}

/** Ways to pay the first test invoice: its page's buttons, or a terminal. */
function TestPayment({ account, store, role }: PartProps): ReactNode {
  const t = useWords();
  return (
    <Section title={t('start.pay')} about={t('start.payAbout')}>
      <div className="stack px-5 pb-5">
        <div className="row row-wrap">
          <PayTestInvoice account={account} store={store.merchant_id} role={role} />
        </div>
        <div className="stack stack-s">
          <p className="small quiet">{t('start.payCurl')}</p>
          <CodeBlock code={payByCurl()} label={t('start.payCurl')} />
          <p className="small quiet">{t('start.magic')}</p>
        </div>
      </div>
    </Section>
  );
}

/** A live store without address cannot be paid: this comes first. */
function MethodNote({ account, store, role }: PartProps): ReactNode {
  const t = useWords();
  const { data } = useQuery({
    ...methodsQuery(account, store.merchant_id),
    enabled: may(role, 'method.see'),
  });
  if (store.mode === 'test' || data === undefined || data.methods.length > 0) return null;
  const actions = (
    <Link className="b b-main" to="/m/$account/stores/$store/methods" params={{ account, store: store.merchant_id }}>
      {t('start.toMethods')}
    </Link>
  );
  return (
    <Note tone="info" icon="balance" title={t('start.noMethod')} actions={actions}>
      <p>{t('start.noMethodAbout')}</p>
    </Note>
  );
}

function Content({ account, store, role }: PartProps): ReactNode {
  const isLive = store.mode === 'live';
  return (
    <>
      {isLive && <EmptyBalanceNote account={account} store={store.merchant_id} />}
      <MethodNote account={account} store={store} role={role} />
      <Codes account={account} store={store} role={role} />
      <SnippetCard account={account} store={store} mayCopyKey={may(role, 'api_key.use', isLive)} />
      {!isLive && <TestPayment account={account} store={store} role={role} />}
      {may(role, 'delivery.use', isLive) && <WebhookCard account={account} store={store.merchant_id} />}
    </>
  );
}

/** For a shop's developer: codes, a first program, a test payment and a test event. */
export function StartPage(): ReactNode {
  const t = useWords();
  const { account, role } = useAccount();
  const { store: id } = useParams({ from: '/signed-in/m/$account/stores/$store/start' });
  const query = useQuery(storesQuery(account));
  const store = query.data?.stores.find((one) => one.merchant_id === id);
  const back = (
    <Link className="crumb" to="/m/$account/stores" params={{ account }}>
      <Icon name="back" />
      {t('stores.title')}
    </Link>
  );
  return (
    <>
      {store?.mode === 'test' && <TestFrame />}
      <PageHead title={t('start.title', { name: store?.name ?? id })} about={t('start.about')} before={back} />
      {store && <StoreTabs id={id} isLive={store.mode === 'live'} />}
      <Loaded query={query} role={role} permission="invoice.see">
        {() => (store ? <Content account={account} store={store} role={role} /> : <NotFound />)}
      </Loaded>
    </>
  );
}
