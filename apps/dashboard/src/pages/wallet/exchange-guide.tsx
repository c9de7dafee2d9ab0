import type { ReactNode } from 'react';
import { useState } from 'react';
import { PLATFORMS } from '../../api/networks.ts';
import { useWords } from '../../language/words.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { Note } from '../../parts/note.tsx';
import { StepTitle } from './step-title.tsx';

/** Each platform's name of the one allowed permission, and the parts of a key. */
const KEYS: Readonly<Record<string, { right: string; passphrase: boolean }>> = {
  'EXCHANGE_PAY:BINANCE': { right: 'Enable Reading', passphrase: false },
  'EXCHANGE_PAY:OKX': { right: 'Read', passphrase: true },
  'EXCHANGE_PAY:BYBIT': { right: 'Read-Only', passphrase: false },
  'EXCHANGE_PAY:KUCOIN': { right: 'General', passphrase: true },
};

function PlatformChoice({ chosen, onChoose }: { chosen: string; onChoose: (id: string) => void }): ReactNode {
  const t = useWords();
  return (
    <div className="seg" role="group" aria-label={t('exchange.platform')}>
      {PLATFORMS.map(({ id, name }) => (
        <button key={id} type="button" aria-pressed={id === chosen} onClick={() => onChoose(id)}>
          {name}
        </button>
      ))}
    </div>
  );
}

export function ExchangeGuide({ store }: { store: string }): ReactNode {
  const t = useWords();
  const [chosen, setChosen] = useState(PLATFORMS[0]?.id ?? '');
  const name = PLATFORMS.find(({ id }) => id === chosen)?.name ?? '';
  const key = KEYS[chosen];
  const parts = key?.passphrase === true ? t('exchange.threeParts') : t('exchange.twoParts');
  return (
    <>
      <StepTitle text={t('exchange.title')} />
      <p className="quiet">{t('exchange.about')}</p>
      <PlatformChoice chosen={chosen} onChoose={setChosen} />
      <ol className="guide">
        <li>{t('exchange.open', { name })}</li>
        <li>
          {t('exchange.tick')} <bdi className="strong">{key?.right}</bdi>
        </li>
        <li>{t('exchange.leave')}</li>
        <li>{t('exchange.bind')}</li>
        <li>{parts}</li>
      </ol>
      <Note tone="warn" title={t('exchange.refused')}>
        <p>{t('exchange.refusedAbout', { name })}</p>
      </Note>
      <div className="row">
        <CopyButton text={t('exchange.request', { name, store })}>{t('exchange.copyRequest')}</CopyButton>
      </div>
    </>
  );
}
