import { NO_FINDINGS, shortened } from './support/edits';
import { activityOf, activityInside, type Activity } from '../config/activity';
import { sectionKind, spelledSection } from '../config/sections';
import { directive } from '../directives/index';
import { thirdPartyModules } from '../directives/third-party';
import { argumentsOf, contentEnd, contentStart, LineKind, spelledName, type Line } from '../syntax/line';
import { Template } from '../syntax/template';
import { EMPTY_LIST, looseTags, Section, type LooseTag } from '../syntax/tree';
import type { Context, Finding, Fix, SectionRule } from './rule';
import { fittingTitle, titleToChange } from './support/fix-title';

/** Finds tags without a partner, tags that cross others, and tags without `>`. */
export const sectionUnpaired: SectionRule = {
  id: 'section-unpaired',
  title: 'A section that is not closed, or a stray closing tag',
  consequence: 'will not start',
  fix: 'suggestion',
  checks: 'section',
  names: [],
  url: 'https://httpd.apache.org/docs/2.4/sections.html',
  examples: [
    {
      title: 'A misspelled closing tag',
      before: '<Directory "/srv/www">\n    Options None\n</Diretory>\n',
      after: '<Directory "/srv/www">\n    Options None\n</Directory>\n',
      finds: ['mismatched'],
    },
    {
      title: 'A section that is not closed',
      before: '<VirtualHost *:80>\n    <Directory "/srv/www">\n        Options None\n</VirtualHost>\n',
      finds: ['unclosed'],
    },
    {
      title: 'A closing tag without its opening tag',
      before: '<Directory "/srv/www">\n</Directory>\n</VirtualHost>\n',
      finds: ['stray'],
    },
    {
      title: 'A missing >',
      before: '<Directory "/srv/www"\n    Options None\n</Directory>\n',
      after: '<Directory "/srv/www">\n    Options None\n</Directory>\n',
      finds: ['no-bracket'],
    },
  ],
  handlesTemplates: true,
  checkFile({ rootList, context, hasUnbalancedUses }) {
    if (rootList.branchLineCount > 0 || hasUnbalancedUses) return NO_FINDINGS;
    const tags = looseTags(rootList, MAX_CHECKED_TAGS);
    return rootList.templateLineCount > 0 && tags.some(({ line }) => line.template !== Template.None)
      ? NO_FINDINGS
      : new UnpairedTagFinder(context).findingsOf(tags);
  },
};

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Maximum number of tags that are checked. A file with more unpaired tags is assumed to be no
 * configuration.
 */
const MAX_CHECKED_TAGS = 1000;

/**
 * Reads the tags without a partner in order, and makes the findings. It also finds tags that belong
 * together although they are no pair, such as tags with different names.
 */
class UnpairedTagFinder {
  private readonly findings: Finding[] = [];
  /** Opening tags without a finding so far. */
  private readonly openTags: LooseTag[] = [];

  constructor(private readonly context: Context) {}

  /**
   * The findings about the tags without a partner of a file, which are in the order of the file.
   */
  findingsOf(tags: readonly LooseTag[]): Finding[] {
    for (const tag of tags) {
      if (this.isIgnored(tag)) continue;
      if (tag.isPaired) this.reportBrokenClose(tag);
      else if (tag.line.kind === LineKind.Open) this.handleOpenTag(tag);
      else this.handleCloseTag(tag);
    }
    // The tags that are still open have no closing tag.
    let isHidden = false;
    for (const tag of this.openTags) {
      if (tag.line.isComplete) this.reportUnclosed(tag, isHidden && tag.sections.length === 0);
      isHidden ||= tag.sections.length === 0 && this.isOpenEnded(tag.line);
    }
    return this.findings.sort((a, b) => a.start - b.start);
  }

  /**
   * Whether the tag is not reported. Tags in macros may have their partner only after expansion
   * (httpd warns, AH02795). Tags in text of another language are no tags of httpd.
   */
  private isIgnored({ sections, isPaired }: LooseTag): boolean {
    const enclosingSections = isPaired ? sections.slice(0, -1) : sections;
    return enclosingSections.some(({ name }) => name === 'macro' || sectionKind(name) === 'opaque');
  }

  /** Remembers an opening tag for a later closing tag. Reports a missing `>`. */
  private handleOpenTag(tag: LooseTag): void {
    if (!tag.line.isComplete && this.activityIn(tag) !== 'inactive') this.reportMissingBracket(tag);
    this.openTags.push(tag);
  }

  /** Assigns a closing tag to an opening tag, and reports it if they are no proper pair. */
  private handleCloseTag(tag: LooseTag): void {
    // If both tags have the same sections around them, they were meant as a pair.
    const innermostOpen = this.openTags.at(-1);
    if (innermostOpen && haveSameSections(innermostOpen, tag)) {
      this.openTags.pop();
      if (innermostOpen.line.name !== tag.line.name) this.reportMismatched(tag, innermostOpen);
      return;
    }
    const crossedIndex = this.openTags.findLastIndex(
      (open) => open.line.name === tag.line.name && open.line.isComplete && open.sections.length > tag.sections.length,
    );
    if (crossedIndex >= 0) this.reportCrossed(this.openTags.splice(crossedIndex, 1)[0]!);
    else this.reportStray(tag);
  }

  /**
   * Reports a closing tag with a space in it, or with text after it if its section is a condition
   * that httpd reads.
   */
  private reportBrokenClose({ line, offset, sections }: LooseTag): void {
    const section = sections.at(-1)!;
    const isCondition = sectionKind(section.name) === 'conditional';
    const tagWord = line.text.slice(contentStart(line)).split(/\s/, 1)[0]!;
    const wantedTag = `</${spelledName(line)}>`;
    // httpd ignores the text after a closing tag, except after the closing tag of a condition that
    // it reads.
    if (
      tagWord.endsWith('>') &&
      !(isCondition && this.activityOfInnerSection(sections.slice(0, -1), section.open) !== 'inactive')
    )
      return;
    this.findings.push({
      messageId: 'close-tag',
      what: `\`${wantedTag}\` must be one word${isCondition ? ', with nothing after it' : ''}`,
      cause: 'httpd does not take this line for the closing tag of the section.',
      help: `Write \`${wantedTag}\`.`,
      ...spanOf(line, offset),
      fixes: [
        {
          title: titleToChange(line.text.trim(), wantedTag),
          safety: 'suggestion',
          edits: [{ ...spanOf(line, offset), text: wantedTag }],
        },
      ],
    });
  }

  /** Reports an opening tag without its `>`. */
  private reportMissingBracket({ line, offset }: LooseTag): void {
    const tagEnd = offset + contentEnd(line);
    const fix: Fix = {
      title: `Add > to ${shortened(line.text.trim(), 50)}`,
      safety: 'suggestion',
      edits: [{ start: tagEnd, end: tagEnd, text: '>' }],
    };
    // httpd adds the `>` to a tag that is only a name (ap_build_config_sub).
    const isOnlyName = contentEnd(line) <= line.nameEnd;
    this.findings.push({
      messageId: 'no-bracket',
      consequence: isOnlyName ? 'deprecated' : 'will not start',
      what: `\`<${spelledName(line)}\` has no closing \`>\``,
      ...(isOnlyName
        ? { cause: 'httpd accepts the tag without it.' }
        : { serverText: `<${spelledName(line)}> directive missing closing '>'` }),
      help: 'Add the `>`.',
      ...spanOf(line, offset),
      fixes: [fix],
    });
  }

  /**
   * Whether the tag opens a condition that may be true. Then httpd reads to the end of the file and
   * does not miss the closing tag.
   */
  private isOpenEnded(line: Line): boolean {
    return (
      sectionKind(line.name) === 'conditional' &&
      line.isComplete &&
      this.activityOfInnerSection([], line) !== 'inactive'
    );
  }

  /**
   * Reports an opening tag without a closing tag. `isHidden`: httpd does not notice the error,
   * because a condition around the tag is not closed either.
   */
  private reportUnclosed({ line, offset, sections }: LooseTag, isHidden: boolean): void {
    const sectionName = spelledSection(line.name) === line.name ? spelledName(line) : spelledSection(line.name);
    const isCondition = sectionKind(line.name) === 'conditional';
    const isHtml = HTML_NAME.test(line.name);
    const outerSection = sections.at(-1);
    if (outerSection === undefined && this.isOpenEnded(line)) {
      this.findings.push({
        messageId: 'unclosed-condition',
        consequence: 'may not start',
        what: `\`<${sectionName}>\` is not closed`,
        cause:
          'If the condition is true, the section ends at the end of the file. If the condition is false, the server does not start.',
        help: `Add \`</${sectionName}>\` where the section should end.`,
        serverText: `Expected </${sectionName}> before end of configuration`,
        ...spanOf(line, offset),
      });
      return;
    }
    const placeText =
      outerSection === undefined ? 'before the end of the file' : `before \`</${spelledSection(outerSection.name)}>\``;
    const serverText =
      outerSection === undefined
        ? isCondition
          ? `Expected </${sectionName}> before end of configuration`
          : `<${sectionName}> was not closed.`
        : `Expected </${sectionName}> but saw </${spelledSection(outerSection.name)}>`;
    this.findings.push({
      messageId: 'unclosed',
      what: isSectionName(line.name)
        ? `\`<${sectionName}>\` is not closed ${placeText}`
        : isHtml
          ? `\`<${sectionName}>\` is HTML, not a section of httpd`
          : `\`<${shortened(sectionName)}>\` is not a section of httpd, and is not closed`,
      help: isSectionName(line.name)
        ? `Add \`</${sectionName}>\` where the section should end.`
        : isHtml
          ? 'This file is perhaps a script that writes a configuration: check the file that it writes. If httpd reads this file itself, remove the HTML.'
          : 'Remove the tag. If it is HTML, this file is not a configuration of httpd.',
      serverText,
      ...spanOf(line, offset),
      ...(isHidden && !isCondition && { consequence: 'may not start' as const }),
    });
  }

  /** Reports an opening tag whose closing tag is below the end of the enclosing section. */
  private reportCrossed({ line, offset, sections }: LooseTag): void {
    const sectionName = spelledName(line);
    const outerName = spelledSection(sections.at(-1)!.name);
    this.findings.push({
      messageId: 'crossed',
      what: `\`<${sectionName}>\` is closed after its enclosing \`<${outerName}>\``,
      cause: 'Sections must not overlap.',
      help: `Move \`</${sectionName}>\` above \`</${outerName}>\`.`,
      serverText: `Expected </${sectionName}> but saw </${outerName}>`,
      ...spanOf(line, offset),
    });
  }

  /** Reports a closing tag at the place where the tag of another name must be closed. */
  private reportMismatched({ line, offset }: LooseTag, openTag: LooseTag): void {
    const openName = spelledName(openTag.line);
    const closedName = spelledName(line);
    // If only the closing tag has the name of a section, the opening tag is misspelled.
    if (!isSectionName(openTag.line.name) && isSectionName(line.name)) {
      const hasOperands =
        argumentsOf(openTag.line).length > 0 ||
        textAfterName(openName, closedName) !== '' ||
        /^require/.test(line.name);
      this.findings.push({
        messageId: 'mismatched',
        what: `\`</${closedName}>\` closes \`<${shortened(openName)}>\`, which is not an httpd section`,
        help: hasOperands
          ? `Change the name in the opening tag to \`${closedName}\`.`
          : `Write \`<${closedName}>\` as the opening tag, with what it applies to.`,
        serverText: `Expected </${openName}> but saw </${closedName}>`,
        ...spanOf(line, offset),
        fixes: hasOperands
          ? [
              {
                title: fittingTitle(
                  `Change the opening tag <${openName} …> to <${closedName} …>`,
                  `Change the opening tag to <${closedName} …>`,
                ),
                safety: 'suggestion',
                edits: [
                  {
                    start: openTag.offset + openTag.line.nameStart,
                    end: openTag.offset + openTag.line.nameEnd,
                    text: closedName + textAfterName(openName, closedName),
                  },
                ],
              },
            ]
          : [],
      });
      return;
    }
    this.findings.push({
      messageId: 'mismatched',
      what: `\`</${shortened(closedName)}>\` does not close the open \`<${shortened(openName)}>\``,
      help: `Write \`</${openName}>\`, or close that section first.`,
      serverText: `Expected </${openName}> but saw </${closedName}>`,
      ...spanOf(line, offset),
      fixes: [
        {
          title: titleToChange(`</${closedName}>`, `</${openName}>`),
          safety: 'suggestion',
          edits: [{ start: offset + line.nameStart, end: offset + line.nameEnd, text: openName }],
        },
      ],
    });
  }

  /** Reports a closing tag for which no opening tag is left. */
  private reportStray({ line, offset, sections }: LooseTag): void {
    const sectionName = spelledName(line);
    const outerSection = sections.at(-1);
    const serverText =
      outerSection && sectionKind(outerSection.name) !== 'conditional'
        ? `Expected </${spelledSection(outerSection.name)}> but saw </${sectionName}>`
        : `</${sectionName}> without matching <${sectionName}> section`;
    this.findings.push({
      messageId: 'stray',
      what: `\`</${shortened(sectionName)}>\` has no opening tag`,
      help: 'Remove this tag, or add the opening tag.',
      serverText,
      ...spanOf(line, offset),
    });
  }

  /** Whether httpd reads the place of a tag, as far as the conditions around it are known. */
  private activityIn({ sections }: LooseTag): Activity {
    let activity: Activity = this.context.activity;
    for (const section of sections)
      if (sectionKind(section.name) === 'conditional')
        activity = activityInside(activity, this.activityOfCondition(section));
    return activity;
  }

  /** Whether httpd reads a section that `open` begins, if it is inside of these sections. */
  private activityOfInnerSection(sections: readonly Section[], open: Line): Activity {
    const outerActivity = this.activityIn({ sections } as LooseTag);
    return activityInside(outerActivity, this.activityOfCondition(new Section(open, EMPTY_LIST, open)));
  }

  /** Whether the condition is true, apart from the conditions around it. */
  private activityOfCondition(section: Section): Activity {
    return this.context.fileContext?.activityOf(section) ?? activityOf(section.open, this.context.target);
  }
}

/**
 * The rest of a tag's name after the name of a section, with a space before it: ` /x` for
 * `<Directory/x>`. Empty if there is none.
 */
function textAfterName(writtenName: string, name: string): string {
  return writtenName.toLowerCase().startsWith(name.toLowerCase()) && /^\W/.test(writtenName.slice(name.length))
    ? ` ${writtenName.slice(name.length)}`
    : '';
}

/** Matches the names of usual HTML elements, in lower case. */
const HTML_NAME =
  /^(?:a|b|body|br|div|em|form|h[1-6]|head|html|i|img|input|li|link|meta|ol|p|pre|script|span|strong|style|table|td|th|title|tr|ul)$/;

/** Whether a version of httpd or a known third-party module has a section of this name. */
function isSectionName(name: string): boolean {
  return directive(name, { section: true }) !== undefined || thirdPartyModules(name, true).length > 0;
}

/** Whether the same sections are around both tags. */
function haveSameSections(a: LooseTag, b: LooseTag): boolean {
  return a.sections.length === b.sections.length && a.sections.every((section, index) => section === b.sections[index]);
}

/** The span of the line in its file, without the white space around its text. */
function spanOf(line: Line, offset: number): { start: number; end: number } {
  return { start: offset + contentStart(line), end: offset + contentEnd(line) };
}
