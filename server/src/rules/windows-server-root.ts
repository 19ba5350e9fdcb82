import { driveOf, isWithin, resolvePath } from '../config/files';
import type { ConfigFile } from '../config/configuration';
import { linesOf } from '../config/loaded-modules';
import { argumentsOf, indentOf, Line, LineKind } from '../syntax/line';
import { NodeKind, type List } from '../syntax/tree';
import { contentSpan, lineEnd, shortened } from './support/edits';
import type { ConfigurationRule, Edit } from './rule';

/**
 * Finds paths on Windows that contain the directory of 2.2. In the package of 2.4, only a `Define`
 * line contains the directory.
 */
export const windowsServerRoot: ConfigurationRule = {
  id: 'windows-server-root',
  title: 'Paths on Windows that contain the directory of 2.2',
  consequence: 'check before the upgrade',
  since: 0,
  fix: 'suggestion',
  checks: 'configuration',
  names: ['serverroot', 'define', 'undefine'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#define',
  examples: [
    {
      title: 'A server on drive C',
      before:
        'ServerRoot "C:/Apache2.2"\nDocumentRoot "C:/Apache2.2/htdocs"\n<Directory "c:/apache2.2/htdocs">\n    Options None\n</Directory>\n',
      after:
        'Define SRVROOT "C:/Apache2.2"\nServerRoot "${SRVROOT}"\nDocumentRoot "${SRVROOT}/htdocs"\n<Directory "${SRVROOT}/htdocs">\n    Options None\n</Directory>\n',
      finds: ['paths'],
    },
    {
      title: 'Not reported: the paths already use the variable SRVROOT',
      before: 'Define SRVROOT "C:/Apache24"\nServerRoot "${SRVROOT}"\nDocumentRoot "${SRVROOT}/htdocs"\n',
      finds: [],
    },
  ],
  check({ configuration }) {
    const [rootLine, ...more] = linesOf(configuration, 'serverroot').filter(({ activity }) => activity !== 'inactive');
    if (
      !rootLine ||
      more.length > 0 ||
      rootLine.file !== configuration.rootScope.file ||
      rootLine.file.readingCount > 1 ||
      rootLine.conditionals.length > 0
    )
      return [];
    const rootPath = argumentsOf(rootLine.line)[0]?.value ?? '';
    if (
      driveOf(rootPath) === '' ||
      rootPath.includes('${') ||
      [...linesOf(configuration, 'define'), ...linesOf(configuration, 'undefine')].some(
        ({ line }) => argumentsOf(line)[0]?.value === VARIABLE_NAME,
      )
    )
      return [];
    const directory = resolvePath('/', rootPath);
    const editsByFile = new Map<ConfigFile, Edit[]>();
    for (const file of configuration.files.values()) {
      if (file.readingCount > 1) return [];
      const fileEdits = editsOfPathsBelow(file.tree.root, directory, 0);
      if (fileEdits.length > 0) editsByFile.set(file, fileEdits);
    }
    const pathCount = [...editsByFile.values()].reduce((sum, each) => sum + each.length, 0);
    const editsInMainFile = editsByFile.get(rootLine.file) ?? [];
    // The variable is only useful if it replaces at least two paths and is defined above all of
    // them.
    if (pathCount < 2 || editsInMainFile.some(({ start }) => start < rootLine.offset)) return [];
    const shownRoot = rootPath.replaceAll('\\', '/').replace(/\/$/, '');
    const eol = lineEnd(rootLine.line);
    const defineEdit: Edit = {
      start: rootLine.offset,
      end: rootLine.offset,
      text: `${indentOf(rootLine.line)}Define ${VARIABLE_NAME} "${shownRoot}"${eol}`,
    };
    const editsOfOtherFiles = new Map(
      [...editsByFile].flatMap(([file, each]) => (file === rootLine.file ? [] : [[file.path, each] as const])),
    );
    return [
      {
        file: rootLine.file.path,
        messageId: 'paths',
        ...contentSpan(rootLine.line, rootLine.offset),
        what: `\`ServerRoot\`: ${pathCount} paths contain the directory of 2.2`,
        cause: `A new version usually gets another directory, such as C:/Apache24. Then each path that begins with ${shownRoot} must change.`,
        help: `Write the line \`Define ${VARIABLE_NAME} "${shownRoot}"\` above \`ServerRoot\`, and \`\${${VARIABLE_NAME}}\` in place of this directory in the paths. For 2.4, then change only the \`Define\` line.`,
        fixes: [
          {
            title: `Define ${VARIABLE_NAME} ${shortened(shownRoot, 24)}, use it in ${pathCount} paths`,
            safety: 'suggestion',
            isAppliedAlone: true,
            assumes: 'you no longer start httpd 2.2 with this configuration',
            edits: [defineEdit, ...editsInMainFile],
            ...(editsOfOtherFiles.size > 0 && { elsewhere: editsOfOtherFiles }),
          },
        ],
      },
    ];
  },
};

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The variable for the directory of httpd, as in the configuration of Apache Lounge for Windows.
 */
const VARIABLE_NAME = 'SRVROOT';

/**
 * Edits that replace `directory` by the variable, in all paths of the lines of a list.
 * `base`: the offset of the list in the file.
 */
function editsOfPathsBelow(list: List, directory: string, base: number): Edit[] {
  const edits: Edit[] = [];
  let offset = base;
  for (const child of list.children) {
    if (child.kind === NodeKind.List) edits.push(...editsOfPathsBelow(child, directory, offset));
    else if (child.kind === NodeKind.Section)
      edits.push(
        ...editsInLine(child.open, directory, offset),
        ...editsOfPathsBelow(child.body, directory, offset + child.open.length),
      );
    else if (child instanceof Line && child.kind === LineKind.Directive)
      edits.push(...editsInLine(child, directory, offset));
    offset += child.length;
  }
  return edits;
}

/**
 * Edits that replace `directory`, the ServerRoot, by the variable at the start of each path in the
 * arguments of a line. `base`: the offset of the line in the file.
 */
function editsInLine(line: Line, directory: string, base: number): Edit[] {
  if (line.isJoined) return [];
  return argumentsOf(line).flatMap((word) => {
    if (driveOf(word.value) === '' || word.value.includes('${')) return [];
    const pathStart = word.start + (word.quote === '' ? 0 : 1);
    const writtenRoot = line.text.slice(pathStart, pathStart + directory.length);
    if (
      !isWithin(resolvePath('/', word.value), directory) ||
      writtenRoot.replaceAll('\\', '/').toLowerCase() !== directory.toLowerCase()
    )
      return [];
    return [{ start: base + pathStart, end: base + pathStart + directory.length, text: `\${${VARIABLE_NAME}}` }];
  });
}
