import type { ReactNode } from 'react';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/queries.ts';
import type { Arrival } from '../../api/unmatched-queries.ts';
import { Failure } from '../../forms/failure.tsx';
import { formOf, textField } from '../../forms/schemas.ts';
import { useApiForm } from '../../forms/use-api-form.ts';
import { useMoney } from '../../language/money.ts';
import { useWords } from '../../language/words.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';

const schema = formOf({ note: textField });
const MAX_NOTE = 500;

type NotOursProps = { account: string; arrival: Arrival; onClose: () => void; onDone: () => void };

/** Dismisses a payment that is for no invoice, with a note for others. */
export function NotOursDialog({ account, arrival, onClose, onDone }: NotOursProps): ReactNode {
  const t = useWords();
  const money = useMoney();
  const { field, submit, isSubmitting, failure } = useApiForm({
    schema,
    defaults: { note: '' },
    send: async (body) => {
      const path = { account, transfer: arrival.transfer };
      await call('POST /accounts/{account}/unmatched/{transfer}/dismiss', { path, body });
      onDone();
      await queryClient.invalidateQueries({ queryKey: ['unmatched', account] });
    },
  });
  return (
    <Dialog
      title={t('unmatched.dismissTitle', {
        amount: arrival.amount === null ? arrival.token : money.token(arrival.amount, arrival.token),
      })}
      onClose={onClose}
      onSubmit={submit}
      foot={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button look="main" type="submit" busy={isSubmitting && t('action.saving')}>
            {t('unmatched.dismissDo')}
          </Button>
        </>
      }
    >
      <p className="quiet">{t('unmatched.dismissAbout')}</p>
      <Field
        label={t('unmatched.note')}
        hint={t('unmatched.noteHint')}
        maxLength={MAX_NOTE}
        autoComplete="off"
        {...field('note')}
      />
      <Failure cause={failure} />
    </Dialog>
  );
}
