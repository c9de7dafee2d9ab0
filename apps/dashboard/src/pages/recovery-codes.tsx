import type { ReactNode } from 'react';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { meQuery, queryClient } from '../api/queries.ts';
import { Failure } from '../forms/failure.tsx';
import { formOf, textField } from '../forms/schemas.ts';
import { useApiForm } from '../forms/use-api-form.ts';
import { useWords } from '../language/words.ts';
import { Button } from '../parts/button.tsx';
import { CopyButton } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { Note } from '../parts/note.tsx';

const schema = formOf({ recovery: textField });

/** A position that differs from dialog to dialog, so that the code cannot be typed from habit. */
function choosePosition(count: number): number {
  const [drawn = 0] = crypto.getRandomValues(new Uint32Array(1));
  return drawn % count;
}

function Download({ codes }: { codes: readonly string[] }): ReactNode {
  const t = useWords();
  const file = `data:text/plain;charset=utf-8,${encodeURIComponent(`${codes.join('\n')}\n`)}`;
  return (
    <a className="b" href={file} download="counterfoil-recovery-codes.txt">
      <Icon name="download" />
      {t('recovery.download')}
    </a>
  );
}

type RecoveryCodesProps = { codes: readonly string[]; onClose: () => void };

/** New recovery codes. Typing one of them confirms that they are saved. */
export function RecoveryCodesDialog({ codes, onClose }: RecoveryCodesProps): ReactNode {
  const t = useWords();
  const [position] = useState(() => choosePosition(codes.length));
  const { field, submit, isSubmitting, failure } = useApiForm({
    schema,
    defaults: { recovery: '' },
    send: async (body) => {
      await call('POST /me/recovery-codes/confirm', { body });
      await queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
      onClose();
    },
  });
  const foot = (
    <Button type="submit" look="main" busy={isSubmitting && t('action.saving')}>
      {t('recovery.confirm')}
    </Button>
  );
  return (
    <Dialog title={t('recovery.yours')} onClose={onClose} onSubmit={submit} foot={foot} sticky>
      <p className="quiet">{t('recovery.about')}</p>
      <ol className="codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <span className="row row-wrap">
        <CopyButton text={codes.join('\n')}>{t('recovery.copy')}</CopyButton>
        <Download codes={codes} />
      </span>
      <Note tone="warn" title={t('recovery.once')}>
        <p>{t('recovery.onceAbout')}</p>
      </Note>
      <Field
        label={t('recovery.enter', { number: position + 1 })}
        hint={t('recovery.enterHint')}
        autoComplete="off"
        spellCheck={false}
        {...field('recovery')}
      />
      <Failure cause={failure} />
    </Dialog>
  );
}
