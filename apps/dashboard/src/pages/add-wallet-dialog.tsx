import type { ReactNode } from 'react';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { CHAINS } from '../api/networks.ts';
import { methodsQuery, queryClient } from '../api/queries.ts';
import { Failure } from '../forms/failure.tsx';
import { formOf, textField } from '../forms/schemas.ts';
import { useApiForm } from '../forms/use-api-form.ts';
import { useMoments } from '../language/moments.ts';
import { useWords } from '../language/words.ts';
import { Button } from '../parts/button.tsx';
import { SelectField } from '../parts/choice.tsx';
import { WholeAddress } from '../parts/code-text.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { Note } from '../parts/note.tsx';

type AddProps = { account: string; store: string; onClose: () => void };
type Added = { address: string; effectiveAt: number | null };

const schema = formOf({ address: textField });

function AddedDialog({ added, onClose }: { added: Added; onClose: () => void }): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const { effectiveAt } = added;
  const title = effectiveAt === null ? t('wallet.added') : t('wallet.waits', { time: moments.long(effectiveAt) });
  const foot = (
    <Button look="main" onClick={onClose}>
      {t('action.done')}
    </Button>
  );
  return (
    <Dialog title={t('wallet.title')} onClose={onClose} foot={foot}>
      <Note
        tone={effectiveAt === null ? 'good' : 'warn'}
        icon={effectiveAt === null ? 'check' : 'clock'}
        title={title}
        live
      >
        <p>{effectiveAt === null ? t('wallet.addedAbout') : t('wallet.waitsAbout')}</p>
      </Note>
      <WholeAddress address={added.address} />
    </Dialog>
  );
}

/** A new address where a store receives. The server asks again who it is, and says whether it waits. */
export function AddWalletDialog({ account, store, onClose }: AddProps): ReactNode {
  const t = useWords();
  const [network, setNetwork] = useState(CHAINS[0]?.id ?? '');
  const [added, setAdded] = useState<Added>();
  const { field, submit, isSubmitting, failure } = useApiForm({
    schema,
    defaults: { address: '' },
    send: async ({ address }) => {
      const asked = { path: { account, store }, body: { network, address } };
      const made = await call('POST /accounts/{account}/stores/{store}/method-changes', asked);
      setAdded({ address: made.address, effectiveAt: made.effective_at });
      await queryClient.invalidateQueries(methodsQuery(account, store));
    },
  });
  if (added) return <AddedDialog added={added} onClose={onClose} />;
  const networks = CHAINS.map(({ id, name, standard }) => ({
    value: id,
    label: standard === name ? name : `${name} (${standard})`,
  }));
  const foot = (
    <>
      <Button onClick={onClose}>{t('action.cancel')}</Button>
      <Button type="submit" look="main" busy={isSubmitting && t('action.saving')}>
        {t('wallet.do')}
      </Button>
    </>
  );
  return (
    <Dialog title={t('wallet.title')} onClose={onClose} onSubmit={submit} foot={foot} sticky>
      <p className="quiet">{t('wallet.about')}</p>
      <SelectField label={t('methods.network')} value={network} options={networks} onChange={setNetwork} />
      <Field label={t('wallet.address')} hint={t('wallet.addressHint')} autoComplete="off" code {...field('address')} />
      <Failure cause={failure} />
    </Dialog>
  );
}
