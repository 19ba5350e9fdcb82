/**
 * The pages of the site as HTML: the page with the editor, one page for each rule, one for each
 * message that `explain` knows, and the documents. Runs while the site is built. Texts in, texts
 * out.
 */
import { Marked, type Tokens } from 'marked';
import { serverMessages, type Message } from '../../server/src/directives/messages';
import { messageExplanation } from '../../server/src/features/explain';
import { escapeHtml } from '../../server/src/features/report/html';
import { ALL_RULES } from '../../server/src/rules/all';
import { SEVERITY_OF } from '../../server/src/rules/rule';
import { rulePage } from '../../server/src/rules/support/page';

export interface Sources {
  /** The body of the page with the editor. */
  readonly playground: string;
  /** Markdown by the paths of its files in the repository. */
  readonly documents: Readonly<Record<string, string>>;
  /** The address of the site, with a slash at its end. */
  readonly address: string;
  /** The address of the repository. */
  readonly repository: string;
}

interface Page {
  /** The path below the site's address: `rules/max-clients.html`. */
  readonly path: string;
  readonly title: string;
  readonly description: string;
  readonly body: string;
  readonly isWide?: boolean;
  /** Not in the list for search engines. */
  readonly isHidden?: boolean;
}

/** All files of the site that are texts, by their paths. */
export function siteFiles(sources: Sources): Readonly<Record<string, string>> {
  const pages = [playground(sources), ...rules(sources), ...messages(sources), ...documents(sources), notFound()];
  const listed = pages.filter(({ isHidden }) => !isHidden);
  return {
    ...Object.fromEntries(pages.map((page) => [page.path, layout(page, sources)])),
    'sitemap.xml': `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${listed
      .map(({ path }) => `<url><loc>${escapeHtml(sources.address + address(path))}</loc></url>`)
      .join('\n')}\n</urlset>\n`,
    'robots.txt': `User-agent: *\nAllow: /\nSitemap: ${sources.address}sitemap.xml\n`,
  };
}

// ---------------------------------------------------------------------------------------------------------------------

const NAME = 'Apache httpd 2.2 → 2.4';

/** Scripts and styles of the site alone, and no connection to anywhere. */
const POLICY =
  "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'none'; base-uri 'none'; form-action 'none'";

/** In the page itself, because a browser may ask for a file again when the address changes. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#17324d"/><path d="M7 16h17m-7-7 7 7-7 7" fill="none" stroke="#fff" stroke-width="3.5" stroke-linecap="round" stroke-linejoin="round"/></svg>',
)}`;

const SECTIONS = [
  ['', 'Check a configuration'],
  ['rules/', 'Rules'],
  ['messages/', 'Messages'],
  ['docs/', 'Documentation'],
] as const;

/** `index.html` has the address of its folder. */
function address(path: string): string {
  return path.replace(/(^|\/)index\.html$/, '$1');
}

function layout(
  { path, title, description, body, isWide, isHidden }: Page,
  { address: site, repository }: Sources,
): string {
  const up = '../'.repeat(path.split('/').length - 1) || './';
  const section = SECTIONS.findLast(([folder]) => path.startsWith(folder))![0];
  const links = SECTIONS.map(
    ([folder, name]) => `<a href="${up}${folder}"${folder === section ? ' aria-current="page"' : ''}>${name}</a>`,
  ).join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(description)}">
<meta property="og:title" content="${escapeHtml(title)}">
<meta property="og:description" content="${escapeHtml(description)}">
${isHidden ? '<meta name="robots" content="noindex">' : `<link rel="canonical" href="${escapeHtml(site + address(path))}">`}
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${up}site.css">
</head>
<body${isWide ? ' class="is-wide"' : ''}>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<a class="brand" href="${up}">${NAME}</a>
<nav aria-label="Site">
${links}
<a href="${escapeHtml(repository)}">Source</a>
</nav>
</header>
<main id="main">
${body}
</main>
<footer><p>Brings Apache httpd 2.2 configuration to 2.4 and keeps access as it was. The same checks run in <a href="${up}docs/readme.html">VS Code, in other editors and on the command line</a>.</p></footer>
</body>
</html>
`;
}

function playground({ playground: body }: Sources): Page {
  return {
    path: 'index.html',
    title: 'Apache 2.2 to 2.4: check and convert a configuration',
    description:
      'Paste an Apache httpd 2.2 configuration or .htaccess file: see what 2.4 rejects, ignores or reads differently, the converted text, and who has access. Nothing is sent.',
    body,
    isWide: true,
  };
}

function notFound(): Page {
  return {
    path: '404.html',
    title: `Not found · ${NAME}`,
    description: 'There is no page at this address.',
    body: '<h1>There is no page at this address</h1>\n<p>Look for it in the rules, the messages or the documentation above.</p>',
    isHidden: true,
  };
}

function rules(sources: Sources): Page[] {
  const pages = ALL_RULES.map((rule): Page => {
    const markdown = rulePage(rule);
    return {
      path: `rules/${rule.id}.html`,
      title: `${plain(rule.title)} · Apache 2.4`,
      description: summary(
        paragraphsOf(markdown).find((each) => !/^\*\*|^(?:Error|Warning|Info|Hint):/.test(each)) ?? rule.title,
      ),
      body: rendered(
        withoutTitle(markdown, rule.title, rule.id),
        { file: `docs/rules/${rule.id}.md`, page: `rules/${rule.id}.html` },
        sources,
      ),
    };
  });
  const rows = ALL_RULES.map(
    (rule) =>
      `<tr><td><span class="severity ${SEVERITY_OF[rule.consequence]}">${SEVERITY_OF[rule.consequence]}</span></td><th scope="row"><a href="${rule.id}.html">${inline(rule.title)}</a></th><td>${escapeHtml(rule.consequence)}</td></tr>`,
  );
  return [
    {
      path: 'rules/index.html',
      title: 'What Apache 2.4 rejects, ignores or reads differently: all rules',
      description: `${ALL_RULES.length} changes from Apache httpd 2.2 to 2.4, each with the reason, an example before and after, and the fix.`,
      body: `<h1>Rules</h1>\n<p class="lead">${ALL_RULES.length} changes from 2.2 to 2.4. Each page has the reason, an example and the fix.</p>\n${filterField('rules')}\n<div class="scroll" tabindex="0" role="region" aria-label="Rules"><table class="list"><thead><tr><th scope="col">Severity</th><th scope="col">Rule</th><th scope="col">In 2.4</th></tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table></div>\n<script src="../filter.js" defer></script>`,
    },
    ...pages,
  ];
}

/** A page has the title of the rule instead of its id, which follows it. */
function withoutTitle(markdown: string, title: string, id: string): string {
  return markdown.replace(/^# .*\n+(?:\*\*.*\*\*\n+)?/, `# ${title}\n\nRule \`${id}\`\n\n`);
}

function messages(sources: Sources): Page[] {
  const slugs = new Set<string>();
  const all = serverMessages().map((message) => {
    const slug = slugOf(message, slugs);
    slugs.add(slug);
    return { message, slug };
  });
  const pages = all.map(({ message, slug }): Page => {
    const { markdown } = messageExplanation(
      message,
      ALL_RULES.map((rule) => ({ id: rule.id, title: rule.title, page: () => '' })),
    );
    const name = message.code === undefined ? message.text : `${message.code}: ${message.text}`;
    const [, ...rest] = markdown.split('\n\n');
    return {
      path: `messages/${slug}.html`,
      title: cut(name, 110),
      description: summary(`${message.meaning} ${message.remedy}`),
      body: `<h1 class="message">${escapeHtml(name)}</h1>\n${rendered(
        rest.join('\n\n'),
        { file: '', page: `messages/${slug}.html` },
        sources,
      ).replace(/<code>([\w-]+)<\/code>: /g, (whole, id: string) =>
        message.rules.includes(id) ? `<a href="../rules/${id}.html">${id}</a>: ` : whole,
      )}\n<p><a class="button" href="../">Check your configuration</a></p>`,
    };
  });
  const rows = all.map(
    ({ message, slug }) =>
      `<tr><td class="code">${message.code ?? ''}</td><th scope="row"><a href="${slug}.html">${escapeHtml(message.text)}</a></th></tr>`,
  );
  return [
    {
      path: 'messages/index.html',
      title: 'Apache 2.4 error log messages after an upgrade from 2.2, explained',
      description: `${all.length} messages of Apache httpd 2.4 with their AH codes: what each one means and what to do.`,
      body: `<h1>Messages of httpd 2.4</h1>\n<p class="lead">${all.length} lines of the error log and of the start: what each one means, and what to do.</p>\n${filterField('messages')}\n<div class="scroll" tabindex="0" role="region" aria-label="Messages"><table class="list"><thead><tr><th scope="col">Code</th><th scope="col">Message</th></tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table></div>\n<script src="../filter.js" defer></script>`,
    },
    ...pages,
  ];
}

function slugOf({ code, text }: Message, taken: ReadonlySet<string>): string {
  const words = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 70)
    .replace(/-$/, '');
  const slug = code?.toLowerCase() ?? (words === '' ? 'message' : words);
  for (let count = 1; ; count++) {
    const candidate = count === 1 ? slug : `${slug}-${count}`;
    if (!taken.has(candidate)) return candidate;
  }
}

function filterField(what: string): string {
  return `<p class="filter"><label>Find <input type="search" id="filter" autocomplete="off" spellcheck="false" aria-label="Find in the ${what}"></label> <span id="filter-count" role="status"></span></p>`;
}

/** The index of the documents is docs/README.md. */
const INDEX = 'docs/README.md';

function documents(sources: Sources): Page[] {
  return Object.entries(sources.documents).map(([file, markdown]): Page => {
    const [, heading = file] = /^# (.*)$/m.exec(markdown) ?? [];
    const path = documentPath(file);
    return {
      path,
      title: `${file === 'README.md' ? 'httpd-upgrade' : plain(heading)} · ${NAME}`,
      description:
        file === INDEX
          ? 'How httpd-upgrade works: in VS Code, in other editors, on the command line, in CI and in a browser.'
          : summary(plain(paragraphsOf(markdown)[0] ?? heading)),
      body: rendered(markdown, { file, page: path }, sources),
    };
  });
}

function documentPath(file: string): string {
  if (file === INDEX) return 'docs/index.html';
  return `docs/${file
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
    .toLowerCase()}.html`;
}

// --- Markdown
// -------------------------------------------------------------------------------------------------------

/** A text by its file in the repository and its page of the site. */
interface PageSource {
  readonly file: string;
  readonly page: string;
}

/** HTML of Markdown. Links to documents lead to their pages; other files are in the repository. */
function rendered(markdown: string, origin: PageSource, sources: Sources): string {
  const converter = new Marked({
    renderer: {
      link({ href, title: _title, tokens }: Tokens.Link) {
        return `<a href="${escapeHtml(target(href, origin, sources))}">${this.parser.parseInline(tokens)}</a>`;
      },
      image({ href, text }: Tokens.Image) {
        const inSite = /(?:^|\/)pictures\/[\w.-]+$/.exec(href);
        return inSite
          ? `<img loading="lazy" src="${above(origin.page)}${inSite[0].replace(/^\//, '')}" alt="${escapeHtml(text)}">`
          : escapeHtml(text);
      },
      heading({ depth, tokens }: Tokens.Heading) {
        const text = this.parser.parseInline(tokens);
        const id = text
          .replace(/<[^>]*>/g, '')
          .toLowerCase()
          .replace(/[^\w\s-]/g, '')
          .trim()
          .replace(/\s+/g, '-');
        return `<h${depth} id="${id}">${text}</h${depth}>\n`;
      },
      code({ text }: Tokens.Code) {
        return `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`;
      },
      html: ({ text }: Tokens.HTML | Tokens.Tag) => (/^<!--/.test(text) ? '' : escapeHtml(text)),
    },
  });
  const html = converter.parse(markdown, { async: false });
  return html
    .replace(/<table>/g, '<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>')
    .replace(/<\/table>/g, '</table></div>');
}

/** The way from a page to the top of the site. */
function above(page: string): string {
  return '../'.repeat(page.split('/').length - 1);
}

/** The address of a link in a document. */
function target(href: string, { file, page }: PageSource, { documents, repository }: Sources): string {
  if (/^(?:https?:|#|mailto:)/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const parts = file.split('/').slice(0, -1);
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  const full = parts.join('/');
  const hash = anchor === undefined ? '' : `#${anchor}`;
  const [, rule] = /^docs\/rules\/([\w-]+)\.md$/.exec(full) ?? [];
  if (rule) return `${above(page)}rules/${rule === 'README' ? '' : `${rule}.html`}${hash}`;
  if (Object.hasOwn(documents, full)) return above(page) + documentPath(full) + hash;
  return `${repository}/blob/main/${full}${hash}`;
}

function inline(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

function plain(text: string): string {
  return text.replace(/[`*]/g, '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
}

function paragraphsOf(markdown: string): string[] {
  return markdown
    .split(/\n{2,}/)
    .map((each) => each.trim())
    .filter((each) => each !== '' && !/^(?:#|```|!\[|\||- |<)/.test(each));
}

/** For search engines: about 160 characters. */
function summary(text: string): string {
  return cut(plain(text).replace(/\s+/g, ' '), 160);
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/\s+\S*$/, '')}…`;
}
