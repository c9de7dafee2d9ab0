import type { ReactNode } from 'react';
import type { KnownNetwork } from '../../api/networks.ts';
import type { Methods } from '../../api/queries.ts';
import { Failure } from '../../forms/failure.tsx';
import { useWords } from '../../language/words.ts';
import { Groups } from './groups.tsx';
import { StepTitle } from './step-title.tsx';

type ConfirmStepProps = {
  network: KnownNetwork;
  address: string;
  methods: Methods | undefined;
  agreed: boolean;
  pressed: boolean;
  failure: unknown;
  onAgree: (agreed: boolean) => void;
};

/** Shows everything again before the request. */
export function ConfirmStep(props: ConfirmStepProps): ReactNode {
  const t = useWords();
  const { network, address, methods, agreed, pressed, failure, onAgree } = props;
  const isFirst = methods?.methods.length === 0;
  return (
    <>
      <StepTitle number={3} text={t('wallet.confirm')} />
      <dl className="dl">
        <div>
          <dt>{t('methods.network')}</dt>
          <dd className="strong">{network.name}</dd>
        </div>
        <div>
          <dt>{t('methods.tokens')}</dt>
          <dd>
            <bdi dir="ltr">{network.tokens.join(', ')}</bdi>
          </dd>
        </div>
        <div>
          <dt>{t('wallet.effect')}</dt>
          <dd>{isFirst ? t('wallet.effectNow') : t('wallet.effectLater', { hours: methods?.delay_hours ?? 0 })}</dd>
        </div>
      </dl>
      <div className="stack stack-s">
        <Groups address={address} />
        <p className="small quiet">{t('wallet.compare')}</p>
      </div>
      <label className="pick tick">
        <input
          type="checkbox"
          checked={agreed}
          onChange={(event) => onAgree(event.target.checked)}
          {...(pressed && !agreed && { 'aria-invalid': true, 'aria-describedby': 'wallet-agree' })}
        />
        <span className="two grow">
          <strong className="strong">{t('wallet.mine')}</strong>
          <span className="small quiet">{t('wallet.mineAbout')}</span>
        </span>
      </label>
      {pressed && !agreed && (
        <p className="small bad" id="wallet-agree" role="alert">
          {t('wallet.mineNeeded')}
        </p>
      )}
      <Failure cause={failure} />
    </>
  );
}
