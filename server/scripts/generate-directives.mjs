// Packs the facts about directives and modules into server/src/directives/generated/tables.json.
//
//   node server/scripts/generate-directives.mjs            writes the file
//   node server/scripts/generate-directives.mjs --check    fails when the file is not what the inputs give
//
// Inputs, in server/src/directives/data/: directives.json, modules.json, providers.json and
// dso-load-order-2.4.json are facts gathered from the manuals, the sources and the command tables
// of running servers; corrections.json says where a real 2.4 disagrees, and why; notes.json are our
// own words about what became of a directive or module.
//
// The manuals say where a directive is meant to stand, the command tables say where the server
// takes it. Where the two differ, the server wins: see `contexts`.
//
// The packed form is explained at `unpack` in server/src/directives/tables.ts.
import { read, write } from './written.mjs';

const VERSIONS = ['2.2', '2.4'];
/** Source files that are part of a module of another name. */
const SOURCES = {
  http_core: 'core',
  ssl_engine_io: 'mod_ssl',
  h2_c2: 'mod_http2',
  h2_ws: 'mod_http2',
  util_ldap: 'mod_ldap',
};

write({ 'server/src/directives/generated/tables.json': generate() });

function generate() {
  const directives = input('directives.json');
  const modules = input('modules.json');
  const notes = input('notes.json');
  correct(directives, modules, input('corrections.json'));
  const pools = { homes: new Map(), shapes: new Map() };

  const documented = new Set(directives.filter((directive) => directive['2.4']?.documented).map(({ name }) => name));
  for (const directive of directives) {
    // One entry of the manual describes both `LuaHookFixups` and `<LuaHookFixups>`.
    if (directive.section && documented.has(directive.name)) directive['2.4'].anchor ??= directive.name.toLowerCase();
  }
  const lines = [...directives, ...neither(notes.directives)]
    .sort(byName)
    .map((directive) => packDirective(directive, takeNote(notes.directives, keyOf(directive)), pools));
  const moduleLines = modules.map((module) => packModule(module, takeNote(notes.modules, module.name)));
  const leftOver = [...Object.keys(notes.directives), ...Object.keys(notes.modules)];
  if (leftOver.length > 0) throw new Error(`notes.json names what the facts do not have: ${leftOver.join(', ')}`);

  return print({
    homes: [...pools.homes.keys()],
    shapes: [...pools.shapes.keys()],
    directives: lines,
    modules: moduleLines,
    loadAfter: Object.entries(input('dso-load-order-2.4.json')).map(([name, after]) => fields(name, after.join(','))),
    providers: packProviders(input('providers.json')),
  });
}

// ---- Directives ----

function packDirective(directive, note, pools) {
  const [old, current] = VERSIONS.map((version) => directive[version]);
  if (old && current && same(old.flags, current.flags)) old.contexts = current.contexts = contexts(current);
  if (old?.sameSyntax) old.syntax = current.syntax;
  const packed = VERSIONS.map((version) =>
    directive[version] ? packVersion(directive, directive[version], pools) : null,
  );
  const sameDefault = VERSIONS.some((version) => directive[version]?.sameDefault);
  const columns = packed[1]?.map((value, index) => (value === packed[0]?.[index] && value !== '' ? '=' : value));
  return fields(
    keyOf(directive),
    note.fate ?? '',
    note.use.join(','),
    note.note ?? '',
    sameDefault ? '1' : '',
    ...(packed[0] ?? ['', '', '', '', '', '']),
    ...(columns ?? []),
  );
}

/**
 * The home (manual page and modules), the shape, since, default, syntax, anchor: what differs
 * between the versions.
 */
function packVersion(directive, facts, pools) {
  const modules = facts.definedIn ?? facts.modules ?? [facts.module];
  const home =
    modules.length === 1 && modules[0] === facts.module ? facts.module : `${facts.module}:${modules.join(',')}`;
  const marks = (facts.documented ? '' : 'u') + (facts.deprecated ? 'd' : '') + (facts.execOnRead ? 'x' : '');
  const flags = (facts.flags ?? []).filter((flag) => flag !== 'EXEC_ON_READ');
  return [
    index(pools.homes, home),
    index(
      pools.shapes,
      [
        contexts(facts),
        facts.arguments ?? '',
        flags.join(','),
        facts.status ?? '',
        (facts.platform ?? []).join(','),
        marks,
      ].join('~'),
    ),
    facts.since ?? '',
    withoutName(directive, facts.default ?? ''),
    (facts.syntax ?? []).map((line) => withoutName(directive, line)).join('^'),
    facts.anchor === directive.name.toLowerCase() ? '' : (facts.anchor ?? (facts.documented ? '' : '-')),
  ];
}

/**
 * Where the server takes a directive: s server config, v virtual host, d directory, p <Proxy>
 * section, h .htaccess. From the command table; only the table's "outside of directories" is
 * narrowed to what the manual says (server config, or virtual hosts too). A `final` correction is
 * taken as it is.
 */
function contexts({ contexts: manual = '', flags, final }) {
  if (final || !flags?.length) return manual;
  const has = (...names) => names.some((name) => flags.includes(name));
  const perDirectory = has('OR_OPTIONS', 'OR_FILEINFO', 'OR_INDEXES', 'OR_AUTHCFG', 'OR_LIMIT');
  const outside = has('RSRC_CONF', 'OR_OPTIONS', 'OR_FILEINFO', 'OR_INDEXES');
  const inside = perDirectory || has('ACCESS_CONF');
  const level = [...manual].filter((letter) => letter === 's' || letter === 'v').join('');
  return (
    (outside ? level || 'sv' : '') + (inside ? 'd' : '') + (has('PROXY_CONF') ? 'p' : '') + (perDirectory ? 'h' : '')
  );
}

/**
 * Syntax and default lines start with the directive's own name, which need not be stored: `&`
 * stands for it.
 */
function withoutName({ name, section }, text) {
  const own = section ? `<${name}` : name;
  const starts = text.toLowerCase().startsWith(own.toLowerCase()) && !/^[\w]/.test(text.slice(own.length));
  return starts ? `&${text.slice(own.length)}` : text;
}

/** Names that neither version knows and that people still meet. */
function neither(notes) {
  return Object.keys(notes)
    .filter((key) => notes[key].fate === 'neither')
    .map((key) => ({ name: key, section: false }));
}

// ---- Modules and providers ----

function packModule(module, note) {
  const versions = VERSIONS.flatMap((version) => {
    const facts = module[version];
    if (!facts) return ['', '', '', ''];
    return [facts.identifier ?? '-', facts.sourcefile ?? '', facts.status ?? '', facts.documented === false ? 'u' : ''];
  });
  return fields(module.name, note.fate ?? '', note.use.join(','), note.note ?? '', ...versions);
}

/**
 * One line for each version and kind: `2.4~authz~all:mod_authz_core,…`. What only 2.2's Require
 * knew is listed as authz.
 */
function packProviders(providers) {
  return VERSIONS.flatMap((version) => {
    const { 'requireTypes (checked at request time, not at parse time)': required, ...kinds } = providers[version];
    const all = required ? { ...kinds, authz: required } : kinds;
    return Object.entries(all)
      .filter(([, names]) => Object.keys(names).length > 0)
      .map(([kind, names]) =>
        fields(
          version,
          kind,
          Object.entries(names)
            .map(([name, files]) => `${name}:${moduleNames(files)}`)
            .join(','),
        ),
      );
  });
}

/**
 * Source file names as in the facts, some of them as remarks: `mod_ldap (util_ldap.c)`, `a.c +
 * b.c/c.c`.
 */
function moduleNames(files) {
  const names = files
    .flatMap((file) => file.replace(/\s*\(.*\)/, '').split(/\s*[+/]\s*/))
    .map((file) => file.replace(/\.c$/, ''));
  return names.map((name) => SOURCES[name] ?? name).join('+');
}

// ---- Corrections and notes ----

function correct(directives, modules, corrections) {
  for (const correction of corrections) {
    if (!correction.reason) throw new Error('a correction without a reason');
    const versions = correction.version === 'both' ? VERSIONS : [correction.version];
    for (const key of correction.directives ?? []) {
      const directive = directives.find((candidate) => keyOf(candidate) === key);
      if (!directive) throw new Error(`corrections.json: no directive ${key}`);
      for (const version of versions) apply(directive, version, correction);
    }
    for (const name of correction.modules ?? []) {
      let module = modules.find((candidate) => candidate.name === name);
      if (!module) modules.push((module = { name }));
      for (const version of versions) apply(((module[version] ??= {}), module), version, correction);
    }
  }
  modules.sort(byName);
}

function apply(target, version, { remove, set, final }) {
  if (remove) delete target[version];
  if (!target[version]) return;
  for (const [key, value] of Object.entries(set ?? {})) {
    if (value === null) delete target[version][key];
    else target[version][key] = value;
  }
  if (final) target[version].final = true;
}

/** Removes and returns a note; notes that are left over have misspelled names. */
function takeNote(notes, key) {
  const { fate, use = [], note } = notes[key] ?? {};
  delete notes[key];
  return { fate, use, note };
}

// ---- Packing ----

/** The number of a string in a pool: a map that remembers the order of first use. */
function index(pool, value) {
  if (!pool.has(value)) pool.set(value, pool.size);
  return String(pool.get(value));
}

/** Fields with `~` between them; empty ones at the end are dropped. */
function fields(...values) {
  const bad = values.find((value) => value.includes('~'));
  if (bad !== undefined) throw new Error(`a field must not contain ~: ${bad}`);
  return values.join('~').replace(/~+$/, '');
}

function keyOf({ name, section }) {
  return section ? `<${name}` : name;
}

function byName(a, b) {
  const [x, y] = [a.name.toLowerCase(), b.name.toLowerCase()];
  return x < y ? -1 : x > y ? 1 : Number(a.section ?? false) - Number(b.section ?? false);
}

function same(a, b) {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** One entry a line, so that a change of the facts shows as a change of lines. */
function print(tables) {
  const parts = Object.entries(tables).map(
    ([key, lines]) => `"${key}": [\n${lines.map((line) => JSON.stringify(line)).join(',\n')}\n]`,
  );
  return `{\n${parts.join(',\n')}\n}\n`;
}

function input(name) {
  return JSON.parse(read(`server/src/directives/data/${name}`));
}
