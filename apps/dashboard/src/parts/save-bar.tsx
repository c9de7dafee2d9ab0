import type { ReactNode } from 'react';
import { useWords } from '../language/words.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

type SaveBarProps = { isDirty: boolean; isSaving: boolean; isSaved: boolean; onUndo: () => void };

/** Buttons of a settings form, disabled without changes. */
export function SaveBar({ isDirty, isSaving, isSaved, onUndo }: SaveBarProps): ReactNode {
  const t = useWords();
  return (
    <div className="row row-wrap">
      <Button
        type="submit"
        look="main"
        busy={isSaving && t('action.saving')}
        {...(!isDirty && { 'aria-disabled': true, type: 'button' as const })}
      >
        {t('save.do')}
      </Button>
      {isDirty && !isSaving && <Button onClick={onUndo}>{t('save.undo')}</Button>}
      <span className="good row gap-1" role="status">
        {isSaved && !isDirty && (
          <>
            <Icon name="check" />
            {t('save.done')}
          </>
        )}
      </span>
    </div>
  );
}
