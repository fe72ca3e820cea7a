/** An element of an XML report. Text is the concatenation of what stands directly in it. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlElement[];
  text: string;
}

const maxDepth = 100;
const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/**
 * Reads an XML document as test reports use it: elements, attributes, text, CDATA. Document types are refused, and with
 * them entities of one's own. Returns null for what is no such document; never throws, in time linear in the text.
 */
export function parseXml(source: string): XmlElement | null {
  const root: XmlElement = { name: '', attributes: {}, children: [], text: '' };
  const open: XmlElement[] = [root];
  const markup =
    /<!\[CDATA\[([\s\S]*?)\]\]>|<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<(\/?)([A-Za-z_][\w.:-]*)((?:[^<>"']|"[^"]*"|'[^']*')*)>/y;
  let at = source.startsWith('\ufeff') ? 1 : 0;
  while (at < source.length) {
    const next = source.indexOf('<', at);
    const end = next === -1 ? source.length : next;
    const current = open.at(-1);
    if (current === undefined) return null;
    current.text += decode(source.slice(at, end));
    if (next === -1) break;
    markup.lastIndex = next;
    const match = markup.exec(source);
    if (match === null) return null;
    if (match[1] !== undefined) current.text += match[1];
    else if (match[3] !== undefined && !applyTag(match[2] === '/', match[3], match[4] ?? '', open))
      return null;
    at = markup.lastIndex;
  }
  return open.length === 1 && root.children.length === 1 ? (root.children[0] ?? null) : null;
}

/** Opens or closes an element; false when the document is not well formed. */
function applyTag(closing: boolean, name: string, rest: string, open: XmlElement[]): boolean {
  if (closing) return open.length > 1 && open.pop()?.name === name;
  const parent = open.at(-1);
  if (parent === undefined || open.length > maxDepth) return false;
  const selfClosing = rest.endsWith('/');
  const element: XmlElement = { name, attributes: attributesOf(rest), children: [], text: '' };
  parent.children.push(element);
  if (!selfClosing) open.push(element);
  return true;
}

function attributesOf(text: string): Record<string, string> {
  const attributes: Record<string, string> = Object.create(null);
  for (const match of text.matchAll(/([A-Za-z_][\w.:-]*)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
    attributes[match[1] ?? ''] = decode(match[2] ?? match[3] ?? '');
  }
  return attributes;
}

function decode(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|(\w{1,8}));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return entities[name] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
