import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/queries.ts';
import { DirectionRoot } from './frame/direction-root.tsx';
import { applyTheme } from './frame/theme.ts';
import { firstLanguage, followLanguage, showLanguage } from './language/language.ts';
import { router } from './router.tsx';
import './style/style.css';

const element = document.querySelector('#app');
if (!element) throw new Error('The document has no place for the app.');
applyTheme();
await showLanguage(firstLanguage());
followLanguage();
createRoot(element).render(
  <StrictMode>
    <I18nProvider i18n={i18n}>
      <DirectionRoot>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </DirectionRoot>
    </I18nProvider>
  </StrictMode>,
);
