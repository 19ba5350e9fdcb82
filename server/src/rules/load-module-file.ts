import { module as moduleNamed, type Module } from '../directives';
import { thirdPartyModule } from '../directives/third-party';
import { REMOVED_MODULE_NAMES } from './removed-module';
import { contentSpan, NO_FINDINGS, shortened } from './support/edits';
import { titleToChange } from './support/fix-title';
import { endInQuotes, loadModuleOf, type LoadModule } from './support/load-module';
import type { Finding, Fix, SectionRule } from './rule';

/** Finds LoadModule lines whose file belongs to another module of httpd than the line names. */
export const loadModuleFile: SectionRule = {
  id: 'load-module-file',
  title: 'LoadModule whose file has another module than the line names',
  consequence: 'will not start',
  fix: 'suggestion',
  checks: 'section',
  names: ['loadmodule'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_so.html#loadmodule',
  examples: [
    {
      title: 'The file of mod_alias for mod_rewrite',
      before: 'LoadModule rewrite_module modules/mod_alias.so\n',
      after: 'LoadModule rewrite_module modules/mod_rewrite.so\n',
      finds: ['other'],
    },
    {
      title: 'Not reported: the file is that of another project',
      before: 'LoadModule rewrite_module modules/mod_ours.so\n',
      finds: [],
    },
  ],
  check({ members }) {
    const loadedModules = new Set<string>();
    return members.flatMap(({ line, offset }) => {
      const loadModule = loadModuleOf(line);
      if (loadModule === null || loadedModules.has(loadModule.identifier.value)) return [];
      loadedModules.add(loadModule.identifier.value);
      const moduleOfFile = otherModuleInFile(loadModule);
      return moduleOfFile === null
        ? NO_FINDINGS
        : findingOf(loadModule, moduleOfFile, contentSpan(line, offset), offset);
    });
  },
};

// ---------------------------------------------------------------------------------------------------------------------

/** The module of httpd to which the file belongs, if the line names another one; otherwise null. */
function otherModuleInFile({ identifier, fileName }: LoadModule): Module | null {
  const moduleOfFile = /^mod_\w+\.so$/.test(fileName) ? moduleNamed(fileName) : undefined;
  if (!moduleOfFile || identifiersOf(moduleOfFile).includes(identifier.value)) return null;
  // Other rules report modules that 2.4 renamed or removed.
  const isRenamedOrRemoved = (each?: Module) => each?.fate === 'removed' || each?.fate === 'renamed';
  if (isRenamedOrRemoved(moduleOfFile) || isRenamedOrRemoved(moduleNamed(identifier.value))) return null;
  return REMOVED_MODULE_NAMES.has(identifier.value.replace(/_module$/, '')) ? null : moduleOfFile;
}

/** The identifiers of a module in 2.4 and in 2.2. */
function identifiersOf(module: Module): readonly string[] {
  return [module['2.4']?.identifier, module['2.2']?.identifier].flatMap((name) => name ?? []);
}

function findingOf(
  { identifier, file, fileName }: LoadModule,
  moduleOfFile: Module,
  span: { readonly start: number; readonly end: number },
  offset: number,
): Finding {
  const moduleName = identifier.value;
  const [correctName] = identifiersOf(moduleOfFile);
  const fileOfName = moduleNamed(moduleName)?.['2.4']?.sharedObject ?? thirdPartyModule(moduleName)?.file;
  const fileEnd = offset + endInQuotes(file);
  const fixes: Fix[] = [];
  if (fileOfName !== undefined)
    fixes.push({
      title: titleToChange(fileName, fileOfName),
      safety: 'suggestion',
      assumes: 'the file is in the same directory',
      edits: [{ start: fileEnd - fileName.length, end: fileEnd, text: fileOfName }],
    });
  if (correctName !== undefined) {
    const nameStart = offset + identifier.start + (identifier.quote === '' ? 0 : 1);
    fixes.push({
      title: titleToChange(moduleName, correctName),
      safety: 'suggestion',
      assumes: `the configuration needs ${moduleOfFile.name}`,
      edits: [{ start: nameStart, end: offset + endInQuotes(identifier), text: correctName }],
    });
  }
  const shownName = shortened(moduleName, 30);
  return {
    messageId: 'other',
    what: `\`${shownName}\` is not in ${fileName}, which has \`${correctName}\``,
    cause: 'httpd looks in the file for the module that the line names.',
    help: `For \`${shownName}\`, write ${fileOfName ?? 'the name of its own file'}. For ${moduleOfFile.name}, write \`${correctName}\`.`,
    serverText: `undefined symbol: ${shownName}`,
    ...span,
    fixes,
  };
}
