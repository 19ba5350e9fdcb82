import { contentEnd, contentStart, spelledName, type Line } from '../syntax/line';
import { contentSpan, fittingHeadline, lineEnd, NO_FINDINGS, removeLine, shortened } from './support/edits';
import { phpQuestionFor, ANY_PHP_ANSWER, PHP_SETTINGS, phpSetting, removedSetting, stopsPhp } from './support/php';
import type { Edit, Fix, Member, SectionRule } from './rule';
import { titleToRemove } from './support/fix-title';

export const phpDirective: SectionRule = {
  id: 'php-directive',
  title: 'PHP settings that need the PHP module',
  consequence: 'check before the upgrade',
  fix: 'suggestion',
  checks: 'section',
  names: [...PHP_SETTINGS, 'phpinidir'],
  url: 'https://httpd.apache.org/docs/2.4/upgrading.html',
  examples: [
    {
      title: 'Settings in a directory',
      before: '<Directory /srv/www>\n    php_flag display_errors off\n    php_value memory_limit 128M\n</Directory>\n',
      after:
        '<Directory /srv/www>\n    # .user.ini: display_errors = Off\n    # .user.ini: memory_limit = 128M\n</Directory>\n',
      finds: ['settings'],
    },
    {
      title: 'Not reported: settings with a condition',
      before:
        '<Directory /srv/www>\n    <IfModule mod_php5.c>\n        php_flag display_errors off\n    </IfModule>\n</Directory>\n',
      finds: [],
    },
  ],
  check({ members, context }) {
    const phpSettings = members.filter(
      ({ activity, enclosingSections }) =>
        activity === 'active' && !enclosingSections.some(({ name }) => name === 'ifmodule'),
    );
    const [first, ...others] = phpSettings;
    // If all modules are known, the rule unknown-directive reports the missing module instead.
    if (!first || (context.fileContext?.modules && ![...context.fileContext.modules].some((name) => /php/.test(name))))
      return NO_FINDINGS;
    const shownNames = [...new Set(phpSettings.map(({ line }) => `\`${spelledName(line)}\``))].slice(0, 2).join(', ');
    const isInDirectory = context.isHtaccess || context.containers.includes('directory');
    const openQuestion = phpQuestionFor(shortened(first.line.text.trim(), 60));
    const removal: Fix = {
      title:
        others.length === 0
          ? titleToRemove(first.line)
          : `Remove ${spelledName(first.line)} and ${others.length} more PHP ${others.length === 1 ? 'setting' : 'settings'}`,
      safety: 'suggestion',
      isAppliedAlone: true,
      choice: { openQuestion, values: ['none'] },
      edits: phpSettings.map(({ line, offset }) => {
        const setting = phpSetting(line, isInDirectory);
        if (setting === null) return removeLine(line, offset);
        return { start: offset + contentStart(line), end: offset + contentEnd(line), text: `# ${setting}` };
      }),
    };
    const fixKeepingSettings: Fix = {
      title: 'Keep the PHP settings for the PHP module of 2.4',
      safety: 'suggestion',
      isAppliedAlone: true,
      choice: { openQuestion, values: ['5', '7', '8'] },
      edits: [],
    };
    const fixForEachModule: Fix = {
      title: 'Put the PHP settings into <IfModule> sections for PHP',
      safety: 'suggestion',
      isAppliedAlone: true,
      isForBothVersions: true,
      choice: { openQuestion, values: [ANY_PHP_ANSWER] },
      edits: adjacentSettingsOf(phpSettings).map(editForAnyModule),
    };
    const stopsScripts = [first, ...others].some(({ line }) => stopsPhp(line.text));
    const consequenceText = context.isHtaccess ? 'requests get 500' : 'httpd does not start';
    return [
      {
        messageId: 'settings',
        what: fittingHeadline(
          `${shownNames}: without the PHP module, ${consequenceText}`,
          `${shownNames} need the PHP module`,
        ),
        cause: phpSettings.every(({ line }) => line.name === 'phpinidir')
          ? 'Only the PHP module reads the directory of php.ini here. PHP-FPM and CGI have their own.'
          : 'Only the PHP module knows these settings of PHP. PHP-FPM and CGI do not read them here.',
        help: stopsScripts
          ? '`engine off` keeps PHP scripts from running. Without the PHP module, deny them: write `Require all denied` in `<FilesMatch "\\.php$">`.'
          : helpFor(
              phpSettings.map(({ line }) => line),
              isInDirectory,
            ),
        helpForBothVersions: adviceForBothVersions(
          phpSettings.map(({ line }) => line),
          isInDirectory,
        ),
        ...contentSpan(first.line, first.offset),
        ...(others.length > 0 && { places: others.map(({ line, offset }) => contentSpan(line, offset)) }),
        // A line such as `php_flag engine off` stops scripts. Without this line, PHP-FPM would run
        // the scripts of the directory, so no fix removes the line.
        fixes: stopsScripts ? [fixKeepingSettings] : [removal, fixKeepingSettings, fixForEachModule],
      },
    ];
  },
};

/** Settings in lines that follow each other. */
type AdjacentSettings = readonly Member[];

/** Divides settings into groups of lines that follow each other, with no other line between. */
function adjacentSettingsOf(settings: readonly Member[]): AdjacentSettings[] {
  const runs: Member[][] = [];
  for (const setting of settings) {
    const lastSetting = runs.at(-1)?.at(-1);
    if (lastSetting && lastSetting.offset + lastSetting.line.length === setting.offset) runs.at(-1)!.push(setting);
    else runs.push([setting]);
  }
  return runs;
}

/** The modules of PHP 5, 7 and 8, each with the first release that it does not load. */
const PHP_MODULES = [
  { source: 'mod_php5.c', endsBefore: 7 },
  { source: 'mod_php7.c', endsBefore: 8 },
  { source: 'mod_php.c', endsBefore: Infinity },
] as const;

/**
 * The edit that writes the settings once for each module of PHP. A module gets no setting that all
 * its releases have removed.
 */
function editForAnyModule(run: AdjacentSettings): Edit {
  const [first, last] = [run[0]!, run.at(-1)!];
  const eol = lineEnd(first.line);
  const indent = first.line.text.slice(0, contentStart(first.line));
  const sections = PHP_MODULES.flatMap(({ source, endsBefore }, index) => {
    const firstRelease = PHP_MODULES[index - 1]?.endsBefore ?? 0;
    const lines = run.flatMap(({ line }) => {
      const removed = removedSetting(line);
      const isInSomeRelease = removed === null || Number(removed.release) > Math.min(firstRelease, endsBefore);
      return isInSomeRelease ? [`${indent}    ${line.text.slice(contentStart(line), contentEnd(line))}`] : [];
    });
    return lines.length === 0 ? [] : [`${indent}<IfModule ${source}>`, ...lines, `${indent}</IfModule>`];
  });
  return { start: first.offset, end: last.offset + contentEnd(last.line), text: sections.join(eol) };
}

/** The advice for files that both versions read. */
function adviceForBothVersions(lines: readonly Line[], isInDirectory: boolean): string {
  if (lines.every((line) => removedSetting(line) !== null))
    return 'Put the settings into `<IfModule mod_php5.c>`: later versions of PHP do not have them.';
  const forFpm = isInDirectory ? ' For PHP-FPM, also write them into `.user.ini`.' : '';
  return `Write the settings once for each module: in \`<IfModule mod_php5.c>\`, in \`<IfModule mod_php7.c>\` and in \`<IfModule mod_php.c>\` (PHP 8).${forFpm} With \`--answer php=any\`, \`fix\` writes these sections.`;
}

/** The help: where PHP-FPM reads these settings, and which of them PHP has removed. */
function helpFor(lines: readonly Line[], isInDirectory: boolean): string {
  const settings = lines.filter(({ name }) => name !== 'phpinidir');
  if (settings.length === 0) return 'With PHP-FPM, remove the line, and put php.ini where `php-fpm -i` looks for it.';
  // Only PHP's module for httpd has the setting `engine` (sapi/apache2handler/mod_php.c).
  if (settings.every((line) => /^\s*\S+\s+"?engine\b/i.test(line.text)))
    return '`engine` is a setting of the PHP module alone: with PHP-FPM, remove it.';
  const removedSettings = settings.flatMap((line) => removedSetting(line) ?? []);
  const removedNames = [...new Set(removedSettings.map(({ name }) => `\`${name}\``))].join(', ');
  if (removedSettings.length === settings.length)
    return removedSettings.length === 1
      ? `Remove the line: PHP ${removedSettings[0]!.release} removed ${removedNames}.`
      : `Remove the lines: PHP removed ${removedNames}.`;
  // PHP-FPM reads .user.ini files only in directories with scripts. These files cannot set what
  // php_admin_value sets.
  const isOfDirectory = isInDirectory && lines.every(({ name }) => !name.startsWith('php_admin'));
  const placeText = isOfDirectory
    ? 'With PHP-FPM, write the settings into `.user.ini` in the directory of the PHP files, or into the pool of PHP-FPM.'
    : 'With PHP-FPM, write the settings into its pool, as in `php_admin_value[memory_limit] = 128M`.';
  return removedSettings.length === 0
    ? placeText
    : `${placeText} Leave out ${removedNames}: PHP removed ${removedSettings.length === 1 ? 'it' : 'them'}.`;
}
