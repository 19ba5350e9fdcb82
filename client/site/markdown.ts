/** Markdown of the core as elements. Markup in it is shown as text. */
import { Marked } from 'marked';
import { element } from './dom';

const markdown = new Marked({
  renderer: {
    html: ({ text }) => escaped(text),
    image: ({ text }) => escaped(text),
    link({ href, tokens }) {
      const label = this.parser.parseInline(tokens);
      return /^https:\/\//.test(href)
        ? `<a href="${escaped(href)}" target="_blank" rel="noreferrer">${label}</a>`
        : label;
    },
  },
});

export function rendered(text: string): HTMLElement {
  const made = element('div', { class: 'markdown' });
  made.innerHTML = markdown.parse(text, { async: false });
  return made;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`);
}
