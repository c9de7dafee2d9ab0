/** Parses HTML strictly enough to see what a browser would: elements and attributes, in order. */

export type Element = { name: string; attributes: [string, string][]; text: string };

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'" };
const RAW_TEXT = new Set(['script', 'style']);
const TAG = /^<(\/?)([a-zA-Z][^\s/>]*)((?:\s+[^\s"'<>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?)*)\s*(\/?)>/;
const ATTRIBUTE = /\s+([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g;

function decodeText(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|#39|#x27);/g, (_match, name: string) => ENTITIES[name] ?? '');
}

/** All elements, each with the text right after its opening tag. Throws at a `<` that opens no known tag. */
export function readHtml(html: string): Element[] {
  const elements: Element[] = [];
  let at = html.startsWith('<!doctype html>') ? '<!doctype html>'.length : 0;
  while (at < html.length) {
    const next = html.indexOf('<', at);
    if (next === -1) break;
    const match = TAG.exec(html.slice(next));
    if (!match) throw new Error(`Not a tag: ${html.slice(next, next + 80)}`);
    const [whole, closing = '', name = '', attributes = ''] = match;
    at = next + whole.length;
    if (closing !== '') continue;
    const lower = name.toLowerCase();
    const end = RAW_TEXT.has(lower) ? html.toLowerCase().indexOf(`</${lower}`, at) : html.indexOf('<', at);
    elements.push({
      name: lower,
      attributes: [...attributes.matchAll(ATTRIBUTE)].map(([, key = '', ...values]) => [
        key.toLowerCase(),
        decodeText(values.find((value) => value !== undefined) ?? ''),
      ]),
      text: html.slice(at, end === -1 ? undefined : end),
    });
    if (RAW_TEXT.has(lower)) at = end === -1 ? html.length : end;
  }
  return elements;
}

/** Elements and attributes that a browser would build, without the text. */
export function structureOf(elements: readonly Element[]): string[] {
  return elements.map(({ name, attributes }) => [name, ...attributes.map(([key]) => key)].join(' '));
}
