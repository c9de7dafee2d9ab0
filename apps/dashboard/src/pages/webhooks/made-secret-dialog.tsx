import type { ReactNode } from 'react';
import { useWords } from '../../language/words.ts';
import { Button } from '../../parts/button.tsx';
import { CopySecret } from '../../parts/copy-secret.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Note } from '../../parts/note.tsx';

type MadeSecretProps = { title: string; note: string; secret: string; onClose: () => void };

/** Offers a new signing secret to be copied. */
export function MadeSecretDialog({ title, note, secret, onClose }: MadeSecretProps): ReactNode {
  const t = useWords();
  const foot = (
    <>
      <Button onClick={onClose}>{t('action.done')}</Button>
      <CopySecret reveal={async () => secret}>{t('secret.copyNew')}</CopySecret>
    </>
  );
  return (
    <Dialog title={title} onClose={onClose} foot={foot} sticky>
      <Note tone="good" title={note} live>
        <p>{t('secret.madeAbout')}</p>
      </Note>
    </Dialog>
  );
}
