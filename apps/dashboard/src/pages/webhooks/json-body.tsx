import type { ReactNode } from 'react';

/** Parts of JSON: names, texts, numbers and words, each with its colour; all else stays as it is. */
const PARTS = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*|true|false|null)/g;

/** JSON over several lines; what is no JSON stays as it is. */
function indent(text: string): string {
  try {
    // Digits stay as they were sent: numbers in webhooks are whole and small.
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function classOf(quoted: string | undefined, colon: string | undefined): 'k' | 's' | 'n' {
  if (quoted === undefined) return 'n';
  return colon === undefined ? 's' : 'k';
}

/** The body of a webhook, over several lines and in colours. */
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
