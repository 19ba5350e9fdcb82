/** Makes elements of the page. */

type Child = Node | string | null | false;

/** An element with attributes and children. An attribute that is null or false is left out. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string | boolean | null>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (value !== null && value !== false) made.setAttribute(key, value === true ? '' : value);
  made.append(...children.filter((child) => child !== null && child !== false));
  return made;
}

export function button(label: string, onClick: () => void, attributes: Readonly<Record<string, string | null>> = {}) {
  const made = element('button', { type: 'button', ...attributes }, label);
  made.addEventListener('click', onClick);
  return made;
}

/** Text in which words between backticks are code. */
export function marked(text: string): Node[] {
  return text
    .split(/`([^`]+)`/)
    .map((part, index) => (index % 2 === 1 ? element('code', {}, part) : document.createTextNode(part)));
}

/** The element of the page with an id. */
export function byId<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found as Kind;
}

/** Replaces the children, and keeps the focus on the control with the same `data-key`. */
export function replace(parent: HTMLElement, ...children: readonly Child[]): void {
  const key = parent.contains(document.activeElement)
    ? (document.activeElement as HTMLElement).getAttribute('data-key')
    : null;
  parent.replaceChildren(...children.filter((child) => child !== null && child !== false));
  if (key !== null)
    for (const each of parent.querySelectorAll<HTMLElement>('[data-key]'))
      if (each.getAttribute('data-key') === key) each.focus();
}

export function amount(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
