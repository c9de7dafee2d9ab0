import type { ReactNode } from 'react';
import { useId, useRef, useState } from 'react';
import { useWords } from '../../language/words.ts';
import { Button } from '../../parts/button.tsx';
import type { LogoFault } from './logo-file.ts';
import { LOGO_TYPES, readLogo } from './logo-file.ts';

/** The logo is kept, removed, or replaced by a data URL's picture. */
export type LogoChange = 'keep' | 'remove' | { address: string };

type LogoFieldProps = {
  /** Whether the store has a logo now. */
  hasLogo: boolean;
  change: LogoChange;
  onChange: (change: LogoChange) => void;
  disabled: boolean;
};

/** Chooses a picture and checks it before it is sent. */
export function LogoField({ hasLogo, change, onChange, disabled }: LogoFieldProps): ReactNode {
  const t = useWords();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [fault, setFault] = useState<LogoFault>();
  const choose = async (file: File | undefined) => {
    if (!file) return;
    const read = await readLogo(file);
    setFault('fault' in read ? read.fault : undefined);
    if ('address' in read) onChange({ address: read.address });
  };
  const has = typeof change === 'object' || (hasLogo && change === 'keep');
  const state = typeof change === 'object' ? t('brand.logoNew') : has ? t('brand.logoSet') : t('brand.logoNone');
  return (
    <div>
      <span className="label" id={`${id}-label`}>
        {t('brand.logo')}
      </span>
      <div className="row row-wrap">
        <input
          ref={input}
          id={id}
          className="vh"
          type="file"
          tabIndex={-1}
          accept={LOGO_TYPES}
          aria-labelledby={`${id}-label`}
          onChange={(event) => {
            void choose(event.target.files?.[0]);
            // Allows choosing the same file again after a change.
            event.target.value = '';
          }}
        />
        {!disabled && (
          <Button aria-describedby={`${id}-about`} onClick={() => input.current?.click()}>
            {has ? t('brand.logoReplace') : t('brand.logoChoose')}
          </Button>
        )}
        {has && !disabled && (
          <Button look="quiet" onClick={() => onChange(hasLogo && change === 'keep' ? 'remove' : 'keep')}>
            {change === 'keep' ? t('action.remove') : t('brand.logoUndo')}
          </Button>
        )}
        {change === 'remove' && (
          <Button look="quiet" onClick={() => onChange('keep')}>
            {t('brand.logoUndo')}
          </Button>
        )}
        <span className="small quiet">{change === 'remove' ? t('brand.logoGoes') : state}</span>
      </div>
      <p className={`hint${fault ? ' bad' : ''}`} id={`${id}-about`} {...(fault && { role: 'alert' })}>
        {fault ? t(`brand.fault.${fault}`) : t('brand.logoHint')}
      </p>
    </div>
  );
}
