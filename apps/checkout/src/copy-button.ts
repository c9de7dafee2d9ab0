import type { JSX } from 'preact';
import { h } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { icon } from './icons.ts';
import type { Page } from './page.ts';
import type { PhraseKey } from './text.ts';

const SHOWN_MS = 2_500;

/** Also works where the clipboard is refused: pages without TLS, browsers inside of wallets. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement('textarea');
    field.value = text;
    field.readOnly = true;
    field.className = 'hidden';
    document.body.append(field);
    const focused = document.activeElement;
    field.select();
    const copied = document.execCommand('copy');
    field.remove();
    if (focused instanceof HTMLElement) focused.focus();
    return copied;
  }
}

type Props = { page: Page; value: string; label: PhraseKey; done: PhraseKey };

export function CopyButton({ page: { words, announce }, value, label, done }: Props): JSX.Element {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    const worked = await copyText(value);
    setCopied(worked);
    announce(words.text(worked ? done : 'copyFailed'));
  };
  return h(
    'button',
    { type: 'button', class: copied ? 'copy scripted is-copied' : 'copy scripted', onClick: () => void copy() },
    icon(copied ? 'check' : 'copy'),
    words.text(copied ? 'copied' : label),
  );
}
