/**
 * What kinds of sections there are. Container sections change the scope of what they hold, conditional sections decide
 * whether it exists, limits restrict it to methods, authorization containers combine `Require` lines.
 */
export type SectionKind = 'container' | 'conditional' | 'limit' | 'authorization' | 'opaque' | 'other';

const KINDS = new Map<string, SectionKind>([
  ...entries('container', [
    'virtualhost',
    'directory',
    'directorymatch',
    'files',
    'filesmatch',
    'location',
    'locationmatch',
    'proxy',
    'proxymatch',
    'if',
    'elseif',
    'else',
    'macro',
  ]),
  ...entries('conditional', ['ifmodule', 'ifdefine', 'ifversion', 'iffile', 'ifdirective', 'ifsection']),
  ...entries('limit', ['limit', 'limitexcept']),
  ...entries('authorization', ['requireall', 'requireany', 'requirenone']),
  // Their bodies are another language's text: mod_perl's and mod_lua's own parsers read them.
  ...entries('opaque', [
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

/** The kind of a section by its name in lower case. `other` is a section that this program does not know by name. */
export function sectionKind(name: string): SectionKind {
  return KINDS.get(name) ?? 'other';
}

/** Whether what stands in the section belongs to the scope around it. */
export function isTransparent(kind: SectionKind): boolean {
  return kind === 'conditional' || kind === 'limit' || kind === 'authorization';
}

/** Section names as the manual spells them, where lower case alone does not tell. */
const SPELLING = new Map(
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

/** The name of a section as the manual spells it, or as given. */
export function spelledSection(name: string): string {
  return SPELLING.get(name) ?? name;
}

function entries(kind: SectionKind, names: readonly string[]): [string, SectionKind][] {
  return names.map((name) => [name, kind]);
}
