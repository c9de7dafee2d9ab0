import type { PageState } from './page.ts';
import { runPage } from './run-page.ts';
import './style.css';

/** The QR code is taken from the HTML, so that it is sent only once. */
function readState(): PageState | null {
  const text = document.querySelector('#state')?.textContent;
  if (!text) return null;
  const state = JSON.parse(text) as PageState;
  const { quote } = state.view;
  if (quote) quote.qrSvg = document.querySelector('.qr-code')?.innerHTML ?? '';
  return state;
}

const state = readState();
const root = document.querySelector('#page');
if (state && root) runPage(state, root);
