import type { Role } from '@counterfoil/core/permission.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { lazy, Suspense, useState } from 'react';
import type { Home } from '../../api/home-queries.ts';
import type { Store } from '../../api/queries.ts';
import { storesQuery } from '../../api/queries.ts';
import { useMe } from '../../frame/membership.ts';
import { useWords } from '../../language/words.ts';
import { Icon } from '../../parts/icon.tsx';
import { PlaceLink } from '../../parts/place-link.tsx';
import type { StepName, StepState } from './step-states.ts';
import { STEPS, stepStates } from './step-states.ts';
import { StepAction } from './step-action.tsx';

const NewStoreDialog = lazy(async () => ({ default: (await import('../new-store-dialog.tsx')).NewStoreDialog }));

type StepProps = {
  name: StepName;
  number: number;
  state: StepState;
  about: string;
  action: ReactNode;
};

function Step({ name, number, state, about, action }: StepProps): ReactNode {
  const t = useWords();
  const isDone = state === 'done';
  return (
    <li className={state === 'now' ? 'is-now' : undefined} {...(state === 'now' && { 'aria-current': 'step' })}>
      <span className={`step-ring${isDone ? ' step-ring-done' : ''}`} aria-hidden="true">
        {isDone ? <Icon name="check" /> : number}
      </span>
      <div className="stack stack-s">
        <strong className="strong">{t(`steps.${name}`)}</strong>
        <p className="small quiet wrap-anywhere">{about}</p>
        {state === 'now' && action && <div className="row row-wrap">{action}</div>}
      </div>
      {isDone ? (
        <span className="done-word">{t('steps.done')}</span>
      ) : (
        state === 'later' && <span className="done-word">{t('steps.after', { number: number - 1 })}</span>
      )}
    </li>
  );
}

/** The counterfoil: what we cannot do with the merchant's money. */
function Promise(): ReactNode {
  const t = useWords();
  const facts = [
    ['steps.moves', 'steps.no'],
    ['steps.keys', 'steps.no'],
    ['steps.leaves', 'steps.anyTime'],
  ] as const;
  return (
    <div className="stub">
      <div className="stub-top stack stack-s">
        <span className="dot dot-good">
          <Icon name="shield" />
        </span>
        <h2>{t('steps.never')}</h2>
        <p className="quiet">{t('steps.neverAbout')}</p>
      </div>
      <div className="stub-tear" aria-hidden="true" />
      <div className="stub-body">
        <dl className="dl small">
          {facts.map(([title, answer]) => (
            <div key={title}>
              <dt>{t(title)}</dt>
              <dd className="strong">{t(answer)}</dd>
            </div>
          ))}
        </dl>
      </div>
    </div>
  );
}

/** The text of each step: its purpose or, once done, its result. */
function useAbouts(stores: readonly Store[], { steps }: Home): Record<StepName, string> {
  const t = useWords();
  const { has_factor: hasFactor } = useMe();
  const [first] = stores;
  const hasTest = stores.some(({ mode }) => mode === 'test');
  const hasLive = stores.some(({ mode }) => mode === 'live');
  return {
    store: first ? `${first.name} · ${first.merchant_id}` : t('steps.storeAbout'),
    test: steps.test_payment ? t('steps.testDone') : hasTest ? t('steps.testAbout') : t('steps.testStore'),
    webhook: steps.webhook ? t('steps.webhookDone') : t('steps.webhookAbout'),
    factor: t(hasFactor ? 'steps.factorDone' : 'steps.factorAbout'),
    method: steps.method ? t('steps.methodDone') : t(hasLive ? 'steps.methodAbout' : 'steps.liveStore'),
    topup: t(steps.funded ? 'steps.topupDone' : 'steps.topupAbout'),
    live: t('steps.liveWait'),
  };
}

type FirstStepsProps = { home: Home; account: string; role: Role };

/** The steps to a first payment; the next one has one action. */
export function FirstSteps({ home, account, role }: FirstStepsProps): ReactNode {
  const t = useWords();
  const [creating, setCreating] = useState(false);
  const stores = useQuery(storesQuery(account)).data?.stores ?? [];
  const { has_factor: hasFactor } = useMe();
  const states = stepStates(home.steps, hasFactor);
  const abouts = useAbouts(stores, home);
  const done = STEPS.filter((name) => states[name] === 'done').length;
  return (
    <div className="grid g-main">
      <section className="card" aria-labelledby="steps">
        <div className="card-head">
          <h2 id="steps">{t('steps.count', { done, all: STEPS.length })}</h2>
          <span className="meter meter-steps" aria-hidden="true">
            <progress value={done} max={STEPS.length} />
          </span>
        </div>
        <ol className="steps">
          {STEPS.map((name, index) => (
            <Step
              key={name}
              name={name}
              number={index + 1}
              state={states[name]}
              about={abouts[name]}
              action={
                <StepAction
                  name={name}
                  account={account}
                  role={role}
                  stores={stores}
                  onCreate={() => setCreating(true)}
                />
              }
            />
          ))}
        </ol>
      </section>
      <aside className="stack">
        <Promise />
        {home.steps.test_payment && (
          <div className="card card-pad stack stack-s">
            <h2>{t('steps.figures')}</h2>
            <p className="small quiet">{t('steps.figuresAbout')}</p>
            <PlaceLink className="small strong" path={`/m/${account}`} search={{ mode: 'test' }}>
              {t('steps.figuresShow')}
            </PlaceLink>
          </div>
        )}
        {stores.length > 0 && (
          <div className="card card-pad stack stack-s">
            <h2>{t('steps.help')}</h2>
            <p className="small quiet">{t('steps.helpAbout')}</p>
            <Link className="small strong" to="/m/$account/stores" params={{ account }}>
              {t('stores.title')}
            </Link>
          </div>
        )}
      </aside>
      {creating && (
        <Suspense>
          <NewStoreDialog account={account} role={role} onClose={() => setCreating(false)} />
        </Suspense>
      )}
    </div>
  );
}
