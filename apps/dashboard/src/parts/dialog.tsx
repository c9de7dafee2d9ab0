import { Dialog as Base } from '@base-ui/react/dialog';
import type { FormEventHandler, ReactNode } from 'react';
import { useRef } from 'react';
import { useWords } from '../language/words.ts';
import { Icon } from './icon.tsx';

type DialogProps = {
  /** The action and its object. */
  title: string;
  onClose: () => void;
  children: ReactNode;
  foot?: ReactNode;
  /** Makes the dialog a form that Enter submits. */
  onSubmit?: FormEventHandler<HTMLFormElement>;
  /** Whether a click outside is ignored, because input would be lost. */
  sticky?: boolean;
  /** Where the focus returns, if the opener may be gone. */
  returnTo?: () => HTMLElement | null;
};

/** A dialog; on a phone a bottom sheet. The title gets the focus, which returns afterwards. */
export function Dialog({ title, onClose, children, foot, onSubmit, sticky = false, returnTo }: DialogProps): ReactNode {
  const t = useWords();
  const titleRef = useRef<HTMLHeadingElement>(null);
  const body = (
    <>
      <div className="dialog-body">{children}</div>
      {foot && <div className="dialog-foot">{foot}</div>}
    </>
  );
  return (
    <Base.Root open onOpenChange={(open) => !open && onClose()} disablePointerDismissal={sticky}>
      <Base.Portal>
        <Base.Backdrop className="veil" />
        <Base.Popup className="dialog" initialFocus={titleRef} {...(returnTo && { finalFocus: returnTo })}>
          <div className="dialog-head">
            <Base.Title ref={titleRef} tabIndex={-1} render={<h2 />}>
              {title}
            </Base.Title>
            <Base.Close className="b b-s b-quiet b-icon" aria-label={t('action.close')}>
              <Icon name="x" />
            </Base.Close>
          </div>
          {onSubmit ? (
            <form noValidate onSubmit={onSubmit}>
              {body}
            </form>
          ) : (
            body
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
