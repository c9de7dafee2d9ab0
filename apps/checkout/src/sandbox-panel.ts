/** Sends a panel button's request without a reload. Only test stores' pages load it. */

const REFUSED: Record<string, string> = {
  TOO_MANY_ACTS: 'This invoice was asked for too much. Please create another one.',
  METHOD_NOT_SELECTED: 'No payment method could be selected.',
};
const FAILED = 'That did not work. Please try again.';

async function ask(form: HTMLFormElement, what: string): Promise<string | undefined> {
  const response = await fetch(form.action, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ ask: what }),
  });
  if (response.ok) return undefined;
  const { refusal } = (await response.json().catch(() => ({}))) as { refusal?: string };
  return (refusal !== undefined && REFUSED[refusal]) || FAILED;
}

function listen(form: HTMLFormElement, said: HTMLElement): void {
  form.addEventListener('submit', (event) => {
    const button = event.submitter;
    if (!(button instanceof HTMLButtonElement)) return;
    event.preventDefault();
    button.disabled = true;
    said.textContent = `${button.textContent} …`;
    const tell = (fault: string | undefined) => {
      said.textContent = fault ?? `${button.textContent}: asked for.`;
      button.disabled = false;
    };
    ask(form, button.value).then(tell, () => tell(FAILED));
  });
}

const form = document.querySelector<HTMLFormElement>('.sandbox form');
const said = document.getElementById('sandbox-said');
if (form && said) listen(form, said);
