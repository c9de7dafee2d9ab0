import type { ReactNode } from 'react';
import type { Export } from '../../api/export-queries.ts';
import { useWords } from '../../language/words.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';

const fileName = ({ kind, export: code }: Export) => `counterfoil-${kind}-${code}.csv`;

/** How to verify a file without the server. */
export function VerifyDialog({ one, onClose }: { one: Export; onClose: () => void }): ReactNode {
  const t = useWords();
  const command = `node verify-export.mjs ${fileName(one)} --sha256 ${one.sha256 ?? ''}`;
  return (
    <Dialog
      title={t('exports.verifyTitle')}
      onClose={onClose}
      foot={
        <Button look="main" onClick={onClose}>
          {t('action.done')}
        </Button>
      }
    >
      <p>{t(`exports.checks.${one.kind}`)}</p>
      <div>
        <p className="label">{t('exports.sha')}</p>
        <bdi dir="ltr" className="sha">
          {one.sha256}
        </bdi>
        <CopyButton text={one.sha256 ?? ''}>{t('exports.copySha')}</CopyButton>
      </div>
      <div>
        <p className="label">{t('exports.command')}</p>
        <bdi dir="ltr" className="sha">
          {command}
        </bdi>
        <CopyButton text={command}>{t('exports.copyCommand')}</CopyButton>
      </div>
      <p className="small quiet">{t('exports.program')}</p>
    </Dialog>
  );
}
