/**
 * The test payer's panel on test stores' pages, in English for developers. Its buttons are plain forms, which work
 * without script. Live pages contain no part of it.
 */

/** `ask` is the button's request, by the same name as on the server. */
type PanelButton = { ask: string; label: string };

const GROUPS: readonly { title: string; buttons: readonly PanelButton[] }[] = [
  {
    title: 'Pay',
    buttons: [
      { ask: 'pay', label: 'Exactly' },
      { ask: 'short', label: 'Too little' },
      { ask: 'over', label: 'Too much' },
      { ask: 'wrong_token', label: 'Another token' },
      { ask: 'twice', label: 'Twice' },
      { ask: 'late', label: 'Late' },
      { ask: 'pay_slowly', label: 'Without confirmation' },
    ],
  },
  {
    title: 'Chain and time',
    buttons: [
      { ask: 'confirm', label: 'Confirm' },
      { ask: 'take_back', label: 'Take payment back' },
      { ask: 'put_back', label: 'Put payment back' },
      { ask: 'expire', label: 'Let the time run out' },
    ],
  },
  {
    title: 'Faults of this store, for a minute',
    buttons: [
      { ask: 'no_node', label: 'No node answers' },
      { ask: 'no_webhooks', label: 'Webhooks fail' },
      { ask: 'no_prices', label: 'No prices' },
      { ask: 'all_well', label: 'All well again' },
    ],
  },
];

export const PANEL_ASKS: readonly string[] = GROUPS.flatMap(({ buttons }) => buttons.map(({ ask }) => ask));

/** The page's frame shows the word TEST and a hatched border in every theme. */
export const PANEL_STYLE = `
body{border:10px solid transparent;border-image:repeating-linear-gradient(135deg,#e0a100 0 12px,#1d1d1d 12px 24px) 10}
.test-band{display:flex;flex-wrap:wrap;gap:4px 12px;align-items:baseline;justify-content:center;margin:0;padding:10px 16px;background:var(--warn-ground);color:var(--warn);border-bottom:1px solid var(--warn-edge);font-size:15px;text-align:center}
.test-band strong{letter-spacing:.12em}
.sandbox{width:100%;max-width:1024px;margin:0 auto;padding:0 16px 24px}
.sandbox form{display:grid;gap:16px;background:var(--card);border:1px dashed var(--warn-edge);border-radius:var(--radius);padding:16px}
.sandbox h2{margin:0;font-size:17px}
.sandbox p{margin:0;color:var(--quiet);font-size:15px}
.sandbox fieldset{border:0;margin:0;padding:0;min-width:0}
.sandbox legend{padding:0 0 8px;color:var(--quiet);font-size:14px}
.sandbox .buttons{display:flex;flex-wrap:wrap;gap:8px}
.sandbox button{min-height:44px;padding:0 14px;border:1px solid var(--edge-strong);border-radius:8px;background:var(--sunk);color:var(--ink);font:inherit;font-size:15px;cursor:pointer}
.sandbox button:hover{border-color:var(--ink)}
.sandbox button:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.sandbox button[disabled]{opacity:.55;cursor:default}
@media print{.sandbox{display:none}}
`.trim();

const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

export const TEST_BAND =
  '<p class="test-band" lang="en" dir="ltr"><strong>TEST</strong> <span>This is a test store. No money moves here.</span></p>';

/** `path` is where the buttons post. */
export function renderPanel(path: string, said: string | null): string {
  const groups = GROUPS.map(({ title, buttons }) => {
    const inside = buttons.map(({ ask, label }) => `<button name="ask" value="${ask}">${label}</button>`).join('');
    return `<fieldset><legend>${title}</legend><div class="buttons">${inside}</div></fieldset>`;
  });
  return `<section class="sandbox" lang="en" dir="ltr" aria-labelledby="sandbox-title"><form method="post" action="${escape(path)}">
<h2 id="sandbox-title">Test payer</h2>${groups.join('')}<p role="status" id="sandbox-said">${escape(said ?? 'Choose what happens to this invoice.')}</p></form></section>`;
}
