import { Dialog as Base } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';
import { useRef } from 'react';
import { useWords } from '../language/words.ts';
import { Icon } from './icon.tsx';

type DrawerProps = {
  /** Its content, for screen readers. */
  label: string;
  /** The head before the close button. */
  head: ReactNode;
  onClose: () => void;
  children: ReactNode;
  /** Where the focus returns, such as the row. */
  returnTo?: () => HTMLElement | null;
};

export function Drawer({ label, head, onClose, children, returnTo }: DrawerProps): ReactNode {
  const t = useWords();
  const popupRef = useRef<HTMLDivElement>(null);
  return (
    <Base.Root open onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="veil veil-light" />
        <Base.Popup
          ref={popupRef}
          className="drawer"
          aria-label={label}
          initialFocus={popupRef}
          {...(returnTo && { finalFocus: returnTo })}
        >
          <div className="drawer-head">
            {head}
            <Base.Close className="b b-s b-quiet b-icon" aria-label={t('action.close')}>
              <Icon name="x" />
            </Base.Close>
          </div>
          <div className="drawer-body">{children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
