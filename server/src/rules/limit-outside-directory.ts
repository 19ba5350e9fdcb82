import { indentOf, spelledName } from '../syntax/line';
import { List, Section } from '../syntax/tree';
import { contentSpan, lineEnd } from './support/edits';
import { Fact, hasFact } from './support/facts';
import type { Finding, Fix, Member, Scope, SectionRule } from './rule';
import { fittingTitle } from './support/fix-title';

export const limitOutsideDirectory: SectionRule = {
  id: 'limit-outside-directory',
  title: '<Limit> outside of a <Directory>, <Location> or similar section',
  consequence: 'will not start',
  fix: 'suggestion',
  checks: 'section',
  isAboutSingleLines: true,
  names: ['limit', 'limitexcept'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#limit',
  examples: [
    {
      title: 'A Limit section directly in a virtual host',
      before:
        '<VirtualHost *:80>\n    <LimitExcept GET POST>\n        Options None\n    </LimitExcept>\n</VirtualHost>\n',
      after:
        '<VirtualHost *:80>\n    <Location "/">\n    <LimitExcept GET POST>\n        Options None\n    </LimitExcept>\n    </Location>\n</VirtualHost>\n',
      finds: ['not-allowed'],
    },
    {
      title: 'Not reported: a Limit section inside a directory section',
      before: '<Directory "/srv/www">\n    <Limit PUT>\n        Require valid-user\n    </Limit>\n</Directory>\n',
      finds: [],
    },
  ],
  check(scope) {
    const { containers, isHtaccess } = scope.context;
    const isVirtualHost = containers.join() === 'virtualhost';
    if (isHtaccess || (containers.length > 0 && !isVirtualHost)) return [];
    const outermostLimits = scope.members.filter(
      ({ enclosingSections }) => !enclosingSections.some(({ name }) => name === 'limit' || name === 'limitexcept'),
    );
    return outermostLimits.map((member) => findingOfSection(member, scope, isVirtualHost));
  },
};

function findingOfSection({ line, offset }: Member, scope: Scope, isInVirtualHost: boolean): Finding {
  const section = sectionAt(scope.body, scope.bodyOffset, offset);
  return {
    messageId: 'not-allowed',
    what: `\`<${spelledName(line)}>\` is no longer allowed outside a section`,
    help: 'Move the section into `<Directory>`, `<Files>` or `<Location>`, or remove it.',
    ...contentSpan(line, offset),
    fixes: section ? [fixWithSection(section, offset)] : [],
    // Outside of `<VirtualHost>`, the finding is kept only for a main file. Any other file may be
    // included inside a section.
    resolve: isInVirtualHost ? undefined : (facts) => (hasFact(facts, Fact.isRoot) ? {} : null),
  };
}

/** The fix that writes `<Location "/">` and its closing tag around the section at an offset. */
function fixWithSection(section: Section, offset: number): Fix {
  const indent = indentOf(section.open);
  const sectionEnd = offset + section.length;
  const eol = lineEnd(section.open);
  const isTerminated = section.close.text.endsWith('\n');
  return {
    title: fittingTitle(
      `Put <Location "/"> around ${section.open.text.trim()}`,
      'Put <Location "/"> around the <Limit> section',
    ),
    safety: 'suggestion',
    assumes: 'you want the section to apply to all URLs, after every other section',
    edits: [
      { start: offset, end: offset, text: `${indent}<Location "/">${eol}` },
      {
        start: sectionEnd,
        end: sectionEnd,
        text: isTerminated ? `${indent}</Location>${eol}` : `${eol}${indent}</Location>`,
      },
    ],
  };
}

/** The section that begins at an offset; null if none begins there. `base`: the list's offset. */
function sectionAt(list: List, base: number, offset: number): Section | null {
  let childStart = base;
  for (const child of list.children) {
    if (offset < childStart + child.length) {
      if (child instanceof List) return sectionAt(child, childStart, offset);
      if (!(child instanceof Section)) return null;
      return childStart === offset ? child : sectionAt(child.body, childStart + child.open.length, offset);
    }
    childStart += child.length;
  }
  return null;
}
