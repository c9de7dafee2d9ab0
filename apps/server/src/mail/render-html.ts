import type { Language } from '@counterfoil/core/language.ts';
import type { Block } from './mail-content.ts';
import { isFromRight } from './show-fact.ts';

/** Renders the HTML part: one column, inline styles, no external resources. Email programs drop most other means. */

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escape = (text: string) => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

type Direction = 'ltr' | 'rtl';

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

/** The app's colours, light and dark. */
export const COLOURS = {
  ground: ['#f5f6f8', '#0e1218'],
  card: ['#ffffff', '#151a22'],
  ink: ['#131a26', '#edf0f5'],
  quiet: ['#566072', '#a3adbc'],
  edge: ['#dde1e8', '#2c3542'],
  accent: ['#1b2a4e', '#dfe6f5'],
  'on-accent': ['#ffffff', '#131a26'],
} as const;

/** Colours for dark mode; some programs use these, others invert the light ones. */
const DARK = `@media (prefers-color-scheme: dark) {
  .page { background-color: ${COLOURS.ground[1]} !important; }
  .card { background-color: ${COLOURS.card[1]} !important; border-color: ${COLOURS.edge[1]} !important; }
  .text { color: ${COLOURS.ink[1]} !important; }
  .dim { color: ${COLOURS.quiet[1]} !important; }
  .line { border-color: ${COLOURS.edge[1]} !important; }
  .button { color: ${COLOURS['on-accent'][1]} !important; background-color: ${COLOURS.accent[1]} !important; }
}`;

function renderRow([label, value]: readonly [string, string], direction: Direction): string {
  const gap = direction === 'rtl' ? '8px 0 8px 12px' : '8px 12px 8px 0';
  return `<tr>
<td class="dim line" style="${FONT};font-size:14px;line-height:20px;color:${COLOURS.quiet[0]};padding:${gap};border-top:1px solid ${COLOURS.edge[0]};vertical-align:top">${escape(label)}</td>
<td class="text line" style="${FONT};font-size:14px;line-height:20px;color:${COLOURS.ink[0]};padding:8px 0;border-top:1px solid ${COLOURS.edge[0]};vertical-align:top;word-break:break-word">${escape(value)}</td>
</tr>`;
}

function renderBlock(block: Block, direction: Direction): string {
  switch (block.kind) {
    case 'heading':
      return `<h1 class="text" style="${FONT};font-size:20px;line-height:28px;font-weight:600;color:${COLOURS.ink[0]};margin:0 0 16px;overflow-wrap:anywhere">${escape(block.text)}</h1>`;
    case 'paragraph':
      return `<p class="text" style="${FONT};font-size:16px;line-height:24px;color:${COLOURS.ink[0]};margin:0 0 16px;overflow-wrap:anywhere">${escape(block.text)}</p>`;
    case 'button':
      return `<p style="margin:24px 0"><a class="button" href="${escape(block.link)}" style="${FONT};font-size:16px;line-height:20px;font-weight:600;color:${COLOURS['on-accent'][0]};background-color:${COLOURS.accent[0]};border-radius:8px;padding:14px 22px;text-decoration:none;display:inline-block">${escape(block.label)}</a></p>`;
    case 'rows':
      return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="margin:0 0 16px;border-collapse:collapse">${block.rows.map((row) => renderRow(row, direction)).join('')}</table>`;
    case 'small':
      return `<p class="dim" style="${FONT};font-size:13px;line-height:20px;color:${COLOURS.quiet[0]};margin:0 0 8px;overflow-wrap:anywhere">${escape(block.text)}</p>`;
  }
}

export function renderHtml(subject: string, blocks: readonly Block[], language: Language): string {
  const direction = isFromRight(language) ? 'rtl' : 'ltr';
  return `<!doctype html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escape(subject)}</title>
<style>${DARK}</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:${COLOURS.ground[0]}">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background-color:${COLOURS.ground[0]}"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;background-color:${COLOURS.card[0]};border:1px solid ${COLOURS.edge[0]};border-radius:12px"><tr><td dir="${direction}" style="padding:28px 24px;text-align:start">
${blocks.map((block) => renderBlock(block, direction)).join('\n')}
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
}
