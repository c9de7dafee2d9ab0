import type { ReactNode } from 'react';
import { useWords } from '../language/words.ts';
import { PageHead } from '../parts/page-head.tsx';
import { AppearanceSection } from './appearance-section.tsx';
import { AuthenticatorSection } from './authenticator-section.tsx';
import { MailSection, PasswordSection } from './credential-sections.tsx';
import { MeTabs } from './me-tabs.tsx';
import { PasskeySection } from './passkey-section.tsx';
import { RecoverySection } from './recovery-section.tsx';
import { RequiredNote } from './required-note.tsx';
import { SessionSection } from './session-section.tsx';

/** The reader's sign-in methods and sessions. */
export function SecurityPage(): ReactNode {
  const t = useWords();
  return (
    <>
      <PageHead title={t('me.title')} about={t('me.about')} />
      <MeTabs />
      <RequiredNote />
      <PasskeySection />
      <AuthenticatorSection />
      <RecoverySection />
      <div className="grid g-2">
        <PasswordSection />
        <MailSection />
      </div>
      <SessionSection />
      <AppearanceSection />
    </>
  );
}
