import { createRootRoute, Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { InterruptionDialogs } from './frame/interruption-dialogs.tsx';
import { FailurePage, NotFoundPage } from './pages/failure-page.tsx';

function Root(): ReactNode {
  return (
    <>
      <Outlet />
      <InterruptionDialogs />
    </>
  );
}

export const root = createRootRoute({ component: Root, notFoundComponent: NotFoundPage, errorComponent: FailurePage });
