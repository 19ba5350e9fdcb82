/**
 * Kinds of sections:
 * - Container sections change the scope of their lines.
 * - Conditional sections decide whether their lines are read.
 * - Limits restrict their lines to methods.
 * - Authorization containers combine `Require` lines.
 * - The text in opaque sections is not configuration.
 */
export type SectionKind = 'container' | 'conditional' | 'limit' | 'authorization' | 'opaque' | 'other';

/** Sections for files, URLs and proxied requests. httpd decides access by these sections. */
export const DIRECTORY_SECTIONS: readonly string[] = [
  'directory',
  'directorymatch',
  'files',
  'filesmatch',
  'location',
  'locationmatch',
  'proxy',
  'proxymatch',
];

const KIND_BY_SECTION = new Map<string, SectionKind>([
  ...kindEntries('container', ['virtualhost', ...DIRECTORY_SECTIONS, 'if', 'elseif', 'else', 'macro']),
  ...kindEntries('conditional', ['ifmodule', 'ifdefine', 'ifversion', 'iffile', 'ifdirective', 'ifsection']),
  ...kindEntries('limit', ['limit', 'limitexcept']),
  ...kindEntries('authorization', ['requireall', 'requireany', 'requirenone']),
  // The bodies of these sections are in another language, which mod_perl and mod_lua read.
  ...kindEntries('opaque', [
    'perl',
    'luahookaccesschecker',
    'luahookauthchecker',
    'luahookcheckuserid',
    'luahookfixups',
    'luahookmaptostorage',
    'luahookpretranslatename',
    'luahooktranslatename',
    'luahooktypechecker',
    'luaquickhandler',
  ]),
]);

/** The kind of a section by its name in lower case. `other` for an unknown section. */
export function sectionKind(name: string): SectionKind {
  return KIND_BY_SECTION.get(name) ?? 'other';
}

/** Whether lines in the section belong to the scope around it. */
export function isTransparent(kind: SectionKind): boolean {
  return kind === 'conditional' || kind === 'limit' || kind === 'authorization';
}

/** The names of all sections in the manual's spelling, by their names in lower case. */
const SPELLING_BY_SECTION = new Map(
  [
    'VirtualHost',
    'Directory',
    'DirectoryMatch',
    'Files',
    'FilesMatch',
    'Location',
    'LocationMatch',
    'Proxy',
    'ProxyMatch',
    'If',
    'ElseIf',
    'Else',
    'Macro',
    'IfModule',
    'IfDefine',
    'IfVersion',
    'IfFile',
    'IfDirective',
    'IfSection',
    'Limit',
    'LimitExcept',
    'RequireAll',
    'RequireAny',
    'RequireNone',
  ].map((name) => [name.toLowerCase(), name]),
);

/** The name of a section in the manual's spelling; unknown names as given. */
export function spelledSection(name: string): string {
  return SPELLING_BY_SECTION.get(name) ?? name;
}

function kindEntries(kind: SectionKind, names: readonly string[]): [string, SectionKind][] {
  return names.map((name) => [name, kind]);
}
