import type { ReactNode } from 'react';
import { useWords } from '../language/words.ts';
import { Button } from '../parts/button.tsx';
import { CopyButton } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Note } from '../parts/note.tsx';

export function RecoveryCodesDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }): ReactNode {
  const t = useWords();
  const foot = (
    <>
      <CopyButton text={codes.join('\n')}>{t('recovery.copy')}</CopyButton>
      <Button look="main" onClick={onClose}>
        {t('recovery.kept')}
      </Button>
    </>
  );
  return (
    <Dialog title={t('recovery.yours')} onClose={onClose} foot={foot} sticky>
      <Note tone="warn" title={t('recovery.once')}>
        <p>{t('recovery.onceAbout')}</p>
      </Note>
      <ul className="codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
    </Dialog>
  );
}
