/**
 * Writes the report as one HTML file without scripts and pictures, and with a policy that forbids
 * them. The only links lead to the pages of rules. Text from files is always escaped. The style
 * adapts to a light or dark system, to narrow screens and to print.
 */
import { rulePageAddress } from '../../rules/support/links';
import type { ReportWriter, ProgressPart } from './page';
import { withVisibleCharacters } from '../../syntax/hidden-text';

/** Writes a report page as HTML. */
export function htmlWriter(): ReportWriter {
  return {
    text: escapeHtml,
    code: (text) => `<code>${escapeHtml(cutText(text))}</code>`,
    block: (text) => `</p><pre tabindex="0"><code>${escapeHtml(text)}</code></pre><p>`,
    rule: (id) => `<a href="${rulePageAddress(id)}"><code>${escapeHtml(id)}</code></a>`,
    strong: (text) => `<strong>${text}</strong>`,
    document: ({ title, lead, contents, body, end }) => `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${STYLE_SHEET_DIGEST}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${STYLE_SHEET}</style>
</head>
<body>
<header>
<h1>${escapeHtml(title)}</h1>
${lead.map((text) => `<p>${text}</p>`).join('\n')}
<nav aria-label="Contents"><ul>
${contents.map((each) => `<li><a href="#${each.id}">${escapeHtml(each.title)}</a></li>`).join('\n')}
</ul></nav>
</header>
<main>
${body.join('\n')}
</main>
<footer><p>${end}</p></footer>
</body>
</html>
`,
    section: ({ level, title, id }, body) =>
      `<section aria-labelledby="${id}">\n<h${level} id="${id}">${escapeHtml(title)}</h${level}>\n${body.join('\n')}\n</section>`,
    paragraph: (text) => `<p>${text}</p>`.replace(/<p><\/p>$/, ''),
    command: (text) => `<pre tabindex="0" class="command"><code>${escapeHtml(text.replace(/\s+/g, ' '))}</code></pre>`,
    list: (items, isOrdered = false) =>
      `<${isOrdered ? 'ol' : 'ul'}>\n${items.map((item) => `<li>${item}</li>`).join('\n')}\n</${isOrdered ? 'ol' : 'ul'}>`,
    choices: (items, checkedMark) =>
      `<ul class="choices">\n${items.map(({ isChecked, markedText }) => `<li${isChecked ? ' class="taken"' : ''}>${isChecked ? `<strong>${escapeHtml(checkedMark)}:</strong> ` : ''}${markedText}</li>`).join('\n')}\n</ul>`,
    table: (caption, headCells, rows) =>
      [
        `<div class="wide" tabindex="0" role="region" aria-label="${escapeHtml(caption)}"><table>`,
        `<caption>${escapeHtml(caption)}</caption>`,
        `<thead><tr>${headCells.map((name) => `<th scope="col">${escapeHtml(name)}</th>`).join('')}</tr></thead>`,
        // On a narrow screen, the cells of a row are below each other and have these labels.
        `<tbody>\n${rows.map(([first, ...cells]) => `<tr><th scope="row">${first}</th>${cells.map((cell, column) => `<td data-label="${escapeHtml(headCells[column + 1] ?? '')}">${cell}</td>`).join('')}</tr>`).join('\n')}\n</tbody>`,
        '</table></div>',
      ].join('\n'),
    progress: progressBar,
  };
}

/**
 * Escapes text for HTML, also in attributes. Control characters become a dot, and invisible
 * characters become their codes, such as `<U+202E>`.
 */
export function escapeHtml(text: string): string {
  return withVisibleCharacters(text).replace(/[&<>"']/g, (character) => HTML_ENTITIES[character]!);
}

// ---------------------------------------------------------------------------------------------------------------------

/** For each character with a meaning in HTML, the text that stands for it. */
const HTML_ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Limit for a value in a table, in UTF-16 units. */
const MAX_CELL_LENGTH = 600;

function cutText(text: string): string {
  if (text.length <= MAX_CELL_LENGTH) return text;
  return `${text.slice(0, /[\uD800-\uDBFF]/.test(text[MAX_CELL_LENGTH - 1]!) ? MAX_CELL_LENGTH - 1 : MAX_CELL_LENGTH)}…`;
}

/**
 * The width of the progress bar in units of its picture. `MIN_BAR_PART_WIDTH` is the minimum width
 * of a part of the bar, so that even one item among thousands is visible.
 */
const BAR_WIDTH = 600;
const MIN_BAR_PART_WIDTH = 6;

/** The progress bar, whose parts differ in pattern and color, and a legend in words. */
function progressBar(parts: readonly ProgressPart[]): string {
  const total = parts.reduce((sum, { count }) => sum + count, 0);
  const nonEmptyParts = parts.filter(({ count }) => count > 0);
  const spareWidth = BAR_WIDTH - MIN_BAR_PART_WIDTH * nonEmptyParts.length;
  let x = 0;
  const bars = nonEmptyParts.map(({ kind, count }) => {
    const width = MIN_BAR_PART_WIDTH + (spareWidth * count) / total;
    const bar = `<rect class="${kind}" x="${round(x)}" y="0" width="${round(width)}" height="28"/>${kind === 'ready' ? '' : `<rect x="${round(x)}" y="0" width="${round(width)}" height="28" fill="url(#pattern-${kind})"/>`}`;
    x += width;
    return bar;
  });
  const readyPart = parts[0]!;
  const barDescription =
    total === 0
      ? 'Nothing is to be done.'
      : `${readyPart.count} of ${total} changes ${readyPart.count === 1 ? 'is' : 'are'} ready; ${parts
          .slice(1)
          .map(({ label, count }) => `${label.toLowerCase()}: ${count}`)
          .join('; ')}.`;
  return `<figure>
<svg viewBox="0 0 ${BAR_WIDTH} 28" width="100%" height="28" preserveAspectRatio="none" role="img" aria-label="${barDescription}">
<defs>
<pattern id="pattern-waiting" width="8" height="8" patternUnits="userSpaceOnUse"><path d="M0 8L8 0" class="ink"/></pattern>
<pattern id="pattern-hand" width="6" height="6" patternUnits="userSpaceOnUse"><circle cx="3" cy="3" r="1" class="dot"/></pattern>
</defs>
${total === 0 ? `<rect class="none" x="0" y="0" width="${BAR_WIDTH}" height="28"/>` : bars.join('\n')}
</svg>
<figcaption>
<p><strong>${barDescription}</strong></p>
<ul class="legend">
${parts.map(({ kind, label, count }) => `<li><svg width="16" height="16" aria-hidden="true"><rect class="${kind}" width="16" height="16"/>${kind === 'ready' ? '' : `<rect width="16" height="16" fill="url(#pattern-${kind})"/>`}</svg> ${label} <strong>${count}</strong></li>`).join('\n')}
</ul>
</figcaption>
</figure>`;
}

function round(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** The style sheet of the page. */
export const STYLE_SHEET = `
:root { color-scheme: light dark; --text: #1f2328; --soft: #57606a; --back: #fff; --code: #f0f2f5; --line: #d0d7de; --link: #0550ae; --ready: #1a7f37; --waiting: #d4a72c; --hand: #cf5b42; --ink: #5c4400; --dot: #fff; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --soft: #9da7b3; --back: #14181d; --code: #232a32; --line: #3a434d; --link: #79b8ff; --ready: #2ea043; --waiting: #bb8009; --hand: #b8492f; --ink: #ffe9a8; --dot: #fff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem clamp(1rem, 4vw, 3rem) 3rem; max-width: 72rem; color: var(--text); background: var(--back); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1, h2, h3, h4 { line-height: 1.25; margin: 2em 0 .5em; }
h1 { font-size: 1.9rem; margin-top: 0; }
h2 { font-size: 1.45rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1.2rem; }
h4 { font-size: 1rem; margin-bottom: .3em; }
p, ul, ol { margin: .5em 0; }
ul, ol { padding-left: 1.5rem; }
li { margin: .25em 0; }
a { color: var(--link); }
code { font: .875em/1.4 ui-monospace, monospace; padding: .1em .3em; border-radius: 4px; background: var(--code); unicode-bidi: isolate; -webkit-box-decoration-break: clone; box-decoration-break: clone; }
pre { margin: .5em 0; padding: .75rem 1rem; border-radius: 6px; background: var(--code); overflow-x: auto; }
pre code { padding: 0; background: none; }
.command { white-space: pre-wrap; }
nav ul, .legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding: 0; list-style: none; }
figure { margin: 1rem 0; }
figure > svg { display: block; border-radius: 6px; }
.legend svg { vertical-align: -2px; border-radius: 3px; }
.ready { fill: var(--ready); } .waiting { fill: var(--waiting); } .hand { fill: var(--hand); } .none { fill: var(--line); }
.ink { stroke: var(--ink); stroke-width: 1.5; opacity: .6; } .dot { fill: var(--dot); }
.wide { position: relative; margin: .75rem 0; overflow-x: auto; }
.wide:focus-visible, pre:focus-visible, a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
table { width: 100%; min-width: 24rem; border-collapse: collapse; font-size: .9375rem; }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
th, td { padding: .4rem .6rem; border: 1px solid var(--line); text-align: left; vertical-align: top; min-width: 5rem; overflow-wrap: anywhere; }
thead th { background: var(--code); }
tbody th { font-weight: normal; }
.choices { padding: 0; list-style: none; }
.choices li { padding: .35rem .6rem; border-left: 3px solid var(--line); }
.choices .taken { border-left-color: var(--ready); }
footer { margin-top: 3rem; padding-top: .5rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .875rem; }
@media screen and (max-width: 40rem) {
h1 { font-size: 1.5rem; }
table { min-width: 0; }
thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
tbody tr { display: block; margin: .5rem 0; padding: .35rem .6rem; border: 1px solid var(--line); border-radius: 6px; }
tbody th, tbody td { display: block; min-width: 0; padding: .1rem 0; border: 0; }
tbody td::before { content: attr(data-label) ": "; color: var(--soft); }
}
@media print {
:root { color-scheme: light; --text: #000; --soft: #333; --back: #fff; --code: #f3f3f3; --line: #999; --link: #000; --ready: #1a7f37; --waiting: #d4a72c; --hand: #cf5b42; --ink: #5c4400; --dot: #fff; }
body { max-width: none; padding: 0; font-size: 10pt; }
nav { display: none; }
.wide, pre { overflow: visible; }
table { min-width: 0; }

pre { white-space: pre-wrap; }
h1, h2, h3, h4, caption, thead { break-after: avoid; }
tr, figure, .choices li { break-inside: avoid; }
svg, .choices li, thead th, code, pre { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
a { text-decoration: none; }
}
`;

/**
 * The SHA-256 hash of STYLE_SHEET in base64. The page's policy allows only this style sheet. A test
 * fails if the hash is wrong.
 */
export const STYLE_SHEET_DIGEST = 'WirPLf56jJ2Xx/5OG0slpCGKSILxn/z6HvuDEpsl6/g=';
