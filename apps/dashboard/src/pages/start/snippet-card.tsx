import type { ReactNode } from 'react';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import type { Store } from '../../api/queries.ts';
import { useWords } from '../../language/words.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { CopySecret } from '../../parts/copy-secret.tsx';
import { Section } from '../../parts/section.tsx';
import type { SnippetKind } from './snippets.ts';
import { SNIPPET_KINDS, snippetOf } from './snippets.ts';

const NAMES: Readonly<Record<SnippetKind, string>> = { curl: 'curl', node: 'Node.js' };

/** A program to copy, left to right in every language. */
export function CodeBlock({ code, label }: { code: string; label: string }): ReactNode {
  return (
    <pre tabIndex={0} role="region" aria-label={label} dir="ltr">
      {code}
    </pre>
  );
}

/** Copies a program with the store's key. */
function CopyWithKey({ account, store, kind }: { account: string; store: Store; kind: SnippetKind }): ReactNode {
  const t = useWords();
  const path = { account, store: store.merchant_id };
  const reveal = async () => {
    const { api_key: key } = await call('POST /accounts/{account}/stores/{store}/key/reveal', { path, body: {} });
    return snippetOf(kind, store.merchant_id, key);
  };
  return (
    <CopySecret reveal={reveal} icon="key">
      {t('start.copyWithKey')}
    </CopySecret>
  );
}

type SnippetCardProps = { account: string; store: Store; mayCopyKey: boolean };

export function SnippetCard({ account, store, mayCopyKey }: SnippetCardProps): ReactNode {
  const t = useWords();
  const [kind, setKind] = useState<SnippetKind>('curl');
  const code = snippetOf(kind, store.merchant_id);
  const kinds = (
    <div className="seg" role="group" aria-label={t('start.language')}>
      {SNIPPET_KINDS.map((one) => (
        <button key={one} type="button" aria-pressed={one === kind} onClick={() => setKind(one)}>
          {NAMES[one]}
        </button>
      ))}
    </div>
  );
  return (
    <Section title={t('start.invoice')} about={t('start.invoiceAbout')} actions={kinds}>
      <div className="stack stack-s px-5 pb-5">
        <CodeBlock code={code} label={t('start.example', { language: NAMES[kind] })} />
        <div className="row row-wrap">
          <CopyButton text={code}>{t('copy.it')}</CopyButton>
          {mayCopyKey && <CopyWithKey account={account} store={store} kind={kind} />}
        </div>
        <p className="small quiet">{t('start.api')}</p>
      </div>
    </Section>
  );
}
