import { useQuery } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { CHAINS, networkOf } from '../api/networks.ts';
import { methodsQuery, queryClient } from '../api/queries.ts';
import { useAction } from '../forms/use-action.ts';
import { useMoments } from '../language/moments.ts';
import { useWords } from '../language/words.ts';
import { Button } from '../parts/button.tsx';
import { WholeAddress } from '../parts/code-text.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Note } from '../parts/note.tsx';
import { AddressStep } from './wallet/address-step.tsx';
import type { AddressCheck } from './wallet/check-address.ts';
import { checkAddress } from './wallet/check-address.ts';
import { ConfirmStep } from './wallet/confirm-step.tsx';
import { ExchangeGuide } from './wallet/exchange-guide.tsx';
import { EXCHANGES, NetworkStep } from './wallet/network-step.tsx';

type AddProps = { account: string; store: string; onClose: () => void };
type Added = { address: string; effectiveAt: number | null };

function AddedDialog({ added, onClose }: { added: Added; onClose: () => void }): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const { effectiveAt } = added;
  const title = effectiveAt === null ? t('wallet.added') : t('wallet.waits', { time: moments.long(effectiveAt) });
  const foot = (
    <Button look="main" onClick={onClose}>
      {t('action.done')}
    </Button>
  );
  return (
    <Dialog title={t('wallet.title')} onClose={onClose} foot={foot}>
      <Note
        tone={effectiveAt === null ? 'good' : 'warn'}
        icon={effectiveAt === null ? 'check' : 'clock'}
        title={title}
        live
      >
        <p>{effectiveAt === null ? t('wallet.addedAbout') : t('wallet.waitsAbout')}</p>
      </Note>
      <WholeAddress address={added.address} />
    </Dialog>
  );
}

type Step = 'network' | 'address' | 'confirm' | 'exchange';
const BEFORE: Readonly<Record<Step, Step | undefined>> = {
  network: undefined,
  address: 'network',
  confirm: 'address',
  exchange: 'network',
};

type FootProps = { step: Step; busy: boolean; onBack: (step: Step) => void; onClose: () => void };

function WizardFoot({ step, busy, onBack, onClose }: FootProps): ReactNode {
  const t = useWords();
  const before = BEFORE[step];
  const main = step === 'confirm' ? t('wallet.do') : t('wallet.next');
  return (
    <>
      {before === undefined ? (
        <Button onClick={onClose}>{t('action.cancel')}</Button>
      ) : (
        <Button onClick={() => onBack(before)}>{t('action.back')}</Button>
      )}
      {step === 'exchange' ? (
        <Button look="main" onClick={onClose}>
          {t('action.done')}
        </Button>
      ) : (
        <Button type="submit" look="main" busy={busy && t('action.saving')}>
          {main}
        </Button>
      )}
    </>
  );
}

/** Exchange accounts have no address. */
function checkFor(chosen: string, address: string): AddressCheck {
  const chain = CHAINS.find(({ id }) => id === chosen);
  return chain ? checkAddress(chain.family, address) : { state: 'empty' };
}

/** Adds a receiving address in small steps. The server requires a step-up, and decides whether it waits. */
export function AddWalletDialog({ account, store, onClose }: AddProps): ReactNode {
  const t = useWords();
  const [step, setStep] = useState<Step>('network');
  const [chosen, setChosen] = useState(CHAINS[0]?.id ?? '');
  const [address, setAddress] = useState('');
  const [agreed, setAgreed] = useState(false);
  const [pressed, setPressed] = useState(false);
  const [added, setAdded] = useState<Added>();
  const { data: methods } = useQuery(methodsQuery(account, store));
  const network = networkOf(chosen);
  const check = checkFor(chosen, address);
  const ask = useAction(async () => {
    const asked = { path: { account, store }, body: { network: chosen, address: address.trim() } };
    const made = await call('POST /accounts/{account}/stores/{store}/method-changes', asked);
    setAdded({ address: made.address, effectiveAt: made.effective_at });
    await queryClient.invalidateQueries(methodsQuery(account, store));
  });
  if (added) return <AddedDialog added={added} onClose={onClose} />;
  const go = (next: Step) => {
    setPressed(false);
    setStep(next);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setPressed(true);
    if (step === 'network') go(chosen === EXCHANGES ? 'exchange' : 'address');
    else if (step === 'address' && check.state === 'good') go('confirm');
    else if (step === 'confirm' && agreed && !ask.busy) ask.run();
  };
  const type = (text: string) => {
    setAddress(text);
    setAgreed(false);
  };
  const confirmed = { network, address: address.trim(), methods, agreed, pressed, failure: ask.failure };
  const foot = <WizardFoot step={step} busy={ask.busy} onBack={go} onClose={onClose} />;
  return (
    <Dialog title={t('wallet.title')} onClose={onClose} onSubmit={submit} foot={foot} sticky>
      {step === 'network' && <NetworkStep chosen={chosen} onChoose={setChosen} />}
      {step === 'address' && (
        <AddressStep network={network} address={address} check={check} pressed={pressed} onType={type} />
      )}
      {step === 'confirm' && <ConfirmStep {...confirmed} onAgree={setAgreed} />}
      {step === 'exchange' && <ExchangeGuide store={store} />}
    </Dialog>
  );
}
