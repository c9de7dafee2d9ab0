import { SECOND_MS } from '@counterfoil/core/duration.ts';
import type { ReactNode } from 'react';
import type { KnownNetwork } from '../../api/networks.ts';
import { CHAINS, PLATFORMS } from '../../api/networks.ts';
import { useFigures } from '../../language/figures.ts';
import { useWords } from '../../language/words.ts';
import { NetworkMark } from '../../parts/network-mark.tsx';
import { StepTitle } from './step-title.tsx';

/** The entry for exchange accounts in the list of networks. */
export const EXCHANGES = 'exchanges';

type OptionProps = { value: string; chosen: string; onChoose: (value: string) => void; children: ReactNode };

function Option({ value, chosen, onChoose, children }: OptionProps): ReactNode {
  return (
    <label className="pick">
      <input type="radio" name="network" value={value} checked={value === chosen} onChange={() => onChoose(value)} />
      {children}
    </label>
  );
}

function NetworkFacts({ network }: { network: KnownNetwork }): ReactNode {
  const t = useWords();
  const { duration } = useFigures();
  const { id, name, standard, tokens, fee, seconds } = network;
  return (
    <>
      <NetworkMark id={id} />
      <span className="two grow">
        <strong className="strong">{standard === name ? name : `${name} (${standard})`}</strong>
        <span className="small quiet">
          <bdi dir="ltr">{tokens.join(', ')}</bdi> · {t(`wallet.fee.${fee}`)} ·{' '}
          {t('wallet.final', { time: duration(seconds * SECOND_MS) })}
        </span>
      </span>
    </>
  );
}

export function NetworkStep({ chosen, onChoose }: { chosen: string; onChoose: (value: string) => void }): ReactNode {
  const t = useWords();
  return (
    <>
      <StepTitle number={1} text={t('wallet.chooseNetwork')} />
      <p className="quiet">{t('wallet.networkAbout')}</p>
      <fieldset className="picks">
        <legend className="vh">{t('methods.network')}</legend>
        {CHAINS.map((network) => (
          <Option key={network.id} value={network.id} chosen={chosen} onChoose={onChoose}>
            <NetworkFacts network={network} />
          </Option>
        ))}
        <Option value={EXCHANGES} chosen={chosen} onChoose={onChoose}>
          <span className="logo" aria-hidden="true">
            ID
          </span>
          <span className="two grow">
            <strong className="strong">{t('methods.exchange')}</strong>
            <span className="small quiet">{PLATFORMS.map(({ name }) => name).join(', ')}</span>
          </span>
        </Option>
      </fieldset>
    </>
  );
}
