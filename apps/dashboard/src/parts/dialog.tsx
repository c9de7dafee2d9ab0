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
  /** Buttons; the last one is what the dialog is about. */
  foot?: ReactNode;
  /** Makes the dialog a form that is sent by Enter. */
  onSubmit?: FormEventHandler<HTMLFormElement>;
  /** Whether a click beside it leaves it open, because something would be lost. */
  sticky?: boolean;
  /** Where the focus goes afterwards, when what opened the dialog may have made room for something else. */
  returnTo?: () => HTMLElement | null;
};

/** A dialog over the page; on a phone a sheet at the bottom. Focus goes to its title, and back afterwards. */
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
