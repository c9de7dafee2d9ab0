import type { Language } from '@counterfoil/core/language.ts';
import { LANGUAGE_CODES, LANGUAGES } from '@counterfoil/core/language.ts';
import type { ReactNode } from 'react';
import { useState } from 'react';
import type { Theme } from '../frame/theme.ts';
import { chooseTheme, presentTheme, THEMES } from '../frame/theme.ts';
import { chooseOwnLanguage } from '../frame/own-language.ts';
import { presentLanguage } from '../language/language.ts';
import { useWords } from '../language/words.ts';
import { SelectField } from '../parts/choice.tsx';
import { Section } from '../parts/section.tsx';

export function AppearanceSection(): ReactNode {
  const t = useWords();
  const [theme, setTheme] = useState(presentTheme());
  const languages = LANGUAGE_CODES.map((code) => ({ value: code, label: LANGUAGES[code].name }));
  const themes = THEMES.map((one) => ({ value: one, label: t(`theme.${one}`) }));
  const onTheme = (value: string) => {
    chooseTheme(value as Theme);
    setTheme(value as Theme);
  };
  return (
    <Section title={t('appearance.title')} about={t('appearance.about')}>
      <div className="card-pad grid g-2 pt-0">
        <SelectField
          label={t('me.language')}
          value={presentLanguage()}
          options={languages}
          onChange={(value) => void chooseOwnLanguage(value as Language)}
        />
        <SelectField label={t('theme.title')} value={theme} options={themes} onChange={onTheme} />
      </div>
    </Section>
  );
}
