import type { InputHTMLAttributes, ReactNode, Ref } from 'react';
import { useWords } from '../../language/words.ts';
import { Field } from '../../parts/field.tsx';
import { isColour } from './accent.ts';

/** Shown without a colour: the checkout's own. */
const USUAL = '#1b2a4e';

type ColourFieldProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'className' | 'style'> & {
  colour: string;
  onPick: (colour: string) => void;
  fault?: string | undefined;
  ref?: Ref<HTMLInputElement>;
};

/** A colour, typed or picked. */
export function ColourField({ colour, onPick, readOnly = false, ...input }: ColourFieldProps): ReactNode {
  const t = useWords();
  return (
    <div className="colour">
      <Field
        label={t('brand.accent')}
        hint={t('brand.accentHint')}
        autoComplete="off"
        placeholder="#1b6e4f"
        readOnly={readOnly}
        code
        {...input}
      />
      <input
        type="color"
        className="colour-pick"
        aria-label={t('brand.accentPick')}
        value={isColour(colour) ? colour.toLowerCase() : USUAL}
        disabled={readOnly}
        onChange={(event) => onPick(event.target.value)}
      />
    </div>
  );
}
