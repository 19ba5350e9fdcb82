/**
 * Directives of modules that do not come with httpd, as Debian packages them (server/scripts/generate-third-party.mjs reads them from
 * the modules' own command tables).
 */
export interface ThirdPartyModule {
  /** As in LoadModule: `wsgi_module`. */
  readonly identifier: string;
  /** As in `<IfModule>`: `mod_wsgi.c`. */
  readonly source: string;
  /** `mod_wsgi.so`, without what packages add for versions. */
  readonly file: string;
  /** Debian's. */
  readonly package: string;
  /** In the modules' spelling, sections with their `<`. */
  readonly directives: readonly string[];
}

/** The modules that have a directive of that name, in lower case, a section without its `<`; empty where none is known to. */
export function thirdPartyModules(name: string, isSection: boolean): readonly ThirdPartyModule[] {
  return byDirective().get(isSection ? `<${name}` : name) ?? NONE;
}

/** All that are known. */
export function allThirdPartyModules(): readonly ThirdPartyModule[] {
  return modules();
}

/** The module by its identifier, source file, file, or the name of these without `.c`, `.so`, `_module`; in any case. */
export function thirdPartyModule(name: string): ThirdPartyModule | undefined {
  return byName().get(bare(name));
}

// ---------------------------------------------------------------------------------------------------------------------

const NONE: readonly ThirdPartyModule[] = [];

let all: readonly ThirdPartyModule[] | undefined;
let directives: Map<string, ThirdPartyModule[]> | undefined;
let names: Map<string, ThirdPartyModule> | undefined;

function modules(): readonly ThirdPartyModule[] {
  return (all ??= require('./generated/third-party.json') as readonly ThirdPartyModule[]);
}

function byDirective(): ReadonlyMap<string, readonly ThirdPartyModule[]> {
  if (directives) return directives;
  directives = new Map();
  for (const known of modules()) {
    for (const directive of known.directives) {
      const key = directive.toLowerCase().replace(/>$/, '');
      directives.set(key, [...(directives.get(key) ?? []), known]);
    }
  }
  return directives;
}

function byName(): ReadonlyMap<string, ThirdPartyModule> {
  if (names) return names;
  names = new Map();
  for (const known of modules()) for (const name of [known.file, known.source, known.identifier]) names.set(bare(name), known);
  return names;
}

function bare(name: string): string {
  return name.replace(/^.*[/\\]/, '').toLowerCase().replace(/\.(so|c|cpp|dll)$/, '').replace(/_module$/, '').replace(/^mod_|^lib/, '');
}
