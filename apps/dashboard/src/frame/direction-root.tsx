import { DirectionProvider } from '@base-ui/react/direction-provider';
import { useLingui } from '@lingui/react';
import type { ReactNode } from 'react';
import { presentDirection } from '../language/language.ts';

/** Provides the text direction to menus and dialogs. */
export function DirectionRoot({ children }: { children: ReactNode }): ReactNode {
  useLingui();
  return <DirectionProvider direction={presentDirection()}>{children}</DirectionProvider>;
}
