import type { ReactNode } from 'react';

/** Parts of JSON with colours: names, texts, numbers and words. */
const PARTS = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*|true|false|null)/g;

/** Indented JSON; other text unchanged. */
function indent(text: string): string {
  try {
    // Digits are safe: numbers in webhooks are whole and small.
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function classOf(quoted: string | undefined, colon: string | undefined): 'k' | 's' | 'n' {
  if (quoted === undefined) return 'n';
  return colon === undefined ? 's' : 'k';
}

/** A webhook's body, indented and coloured. */
export function JsonBody({ text, label }: { text: string; label: string }): ReactNode {
  const written = indent(text);
  const parts: ReactNode[] = [];
  let end = 0;
  for (const found of written.matchAll(PARTS)) {
    const [whole, quoted, colon] = found;
    parts.push(written.slice(end, found.index));
    const shown = quoted ?? whole;
    parts.push(
      <span key={found.index} className={classOf(quoted, colon)}>
        {shown}
      </span>,
      colon ?? '',
    );
    end = found.index + whole.length;
  }
  parts.push(written.slice(end));
  return (
    <pre className="code-block code-block-wrap" dir="ltr" aria-label={label} role="region" tabIndex={0}>
      {parts}
    </pre>
  );
}
