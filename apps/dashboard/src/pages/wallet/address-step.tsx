import type { ReactNode } from 'react';
import type { KnownNetwork } from '../../api/networks.ts';
import type { Words } from '../../language/words.ts';
import { useWords } from '../../language/words.ts';
import { Field } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Note } from '../../parts/note.tsx';
import type { AddressCheck } from './check-address.ts';
import { Groups } from './groups.tsx';
import { StepTitle } from './step-title.tsx';

/** What is wrong with an address, if anything. */
function faultOf(t: Words, check: AddressCheck, network: KnownNetwork): string | undefined {
  switch (check.state) {
    case 'foreign':
      return t('wallet.foreign', { found: t(`wallet.shape.${check.shape}`), network: network.name });
    case 'checksum':
      return t('wallet.checksum');
    case 'zero':
      return t('wallet.zero');
    case 'unfit':
      return t('fault.address');
    case 'empty':
    case 'good':
    case 'short':
      return undefined;
  }
}

type AddressStepProps = {
  network: KnownNetwork;
  address: string;
  check: AddressCheck;
  /** Whether the user tried to continue. */
  pressed: boolean;
  onType: (address: string) => void;
};

/** The address, checked while typing. */
export function AddressStep({ network, address, check, pressed, onType }: AddressStepProps): ReactNode {
  const t = useWords();
  const { state } = check;
  const unfinished =
    check.state === 'short' ? t('wallet.short', { length: check.length, wanted: check.wanted }) : undefined;
  const missing = pressed ? (state === 'empty' ? t('fault.needed') : unfinished) : undefined;
  const fault = faultOf(t, check, network) ?? missing;
  return (
    <>
      <StepTitle number={2} text={t('wallet.addressOn', { network: network.name })} />
      <Field
        label={t('wallet.address')}
        hint={unfinished ?? t('wallet.addressHint')}
        fault={fault}
        autoComplete="off"
        code
        value={address}
        onChange={(event) => onType(event.target.value)}
      />
      {state === 'good' && (
        <div className="stack stack-s" role="status">
          <p className="row good">
            <Icon name="check" />
            {t('wallet.fits', { network: network.name })}
          </p>
          <Groups address={address.trim()} />
          <p className="small quiet">{t('wallet.compare')}</p>
        </div>
      )}
      <Note tone="warn" title={t('wallet.notExchange')}>
        <p>{t('wallet.notExchangeAbout')}</p>
      </Note>
    </>
  );
}
