import type { ReactNode } from 'react';
import { useState } from 'react';
import { useWords } from '../language/words.ts';
import { Dialog } from '../parts/dialog.tsx';
import { keysAreOn, switchKeys } from './single-keys.ts';

const KEYS = [
  ['j', 'keys.next'],
  ['k', 'keys.previous'],
  ['Enter', 'keys.open'],
  ['o', 'keys.page'],
  ['c', 'keys.copy'],
  ['Esc', 'keys.close'],
  ['/', 'keys.find'],
  ['g h', 'home.title'],
  ['g i', 'invoices.title'],
  ['g u', 'unmatched.title'],
  ['g s', 'stores.title'],
  ['g w', 'webhooks.title'],
  ['g b', 'balance.title'],
  ['?', 'keys.title'],
] as const;

/** Keyboard shortcuts, and a switch to disable them. */
export function KeysDialog({ onClose }: { onClose: () => void }): ReactNode {
  const t = useWords();
  const [on, setOn] = useState(keysAreOn());
  return (
    <Dialog title={t('keys.title')} onClose={onClose}>
      <dl className="dl">
        {KEYS.map(([key, word]) => (
          <div key={key}>
            <dt>{t(word)}</dt>
            <dd>
              <kbd>{key}</kbd>
            </dd>
          </div>
        ))}
      </dl>
      <div className="row between">
        <span id="single-keys">{t('keys.switch')}</span>
        <button
          type="button"
          role="switch"
          className="toggle"
          aria-checked={on}
          aria-labelledby="single-keys"
          onClick={() => {
            switchKeys(!on);
            setOn(!on);
          }}
        />
      </div>
    </Dialog>
  );
}
