// Gathers what the functions behind 2.4's directives ask of the place they stand in, beyond their
// command table: the flags with which each calls ap_check_cmd_context (server/core.c). Writes
// server/src/directives/generated/places.json: for each set of flags the names, in lower case,
// sections with their `<`.
//
//   node server/scripts/generate-places.mjs FOLDER      the source tree of an httpd 2.4 release
//
// The source tree is not part of this project; what is read from it is committed.
// test/httpd/places.slow.test.ts asks a real server.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const output = path.resolve(
  path.dirname(fileURLToPath(import.meta.url)),
  '..',
  'src',
  'directives',
  'generated',
  'places.json',
);
/** Not built on Unix, or no part of a release's modules. */
const SKIPPED = /\/(test|examples|arch\/(win32|netware)|mpm\/(winnt|netware|mpmt_os2))\//;
/**
 * Wrappers of ap_check_cmd_context. md_conf_check_location has its own idea of sections, which data
 * about places cannot say.
 */
const WRAPPERS = {
  md_conf_check_location: {
    MD_LOC_ALL: 'NOT_IN_DIRECTORY|NOT_IN_LOCATION',
    MD_LOC_NOT_MD: 'NOT_IN_DIRECTORY|NOT_IN_LOCATION',
    MD_LOC_GLOBAL: 'GLOBAL_ONLY',
  },
};

const source = process.argv[2];
if (!source) throw new Error('which folder has the source of httpd?');

const functions = new Map();
const commands = [];
for (const file of ['include', 'server', 'modules'].flatMap((folder) => sources(path.join(source, folder)))) {
  const text = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\//g, ' ');
  for (const [name, body] of bodies(text)) functions.set(`${file} ${name}`, body).set(name, body);
  for (const command of tableEntries(text)) commands.push({ file, ...command });
}

/**
 * With two arguments as the others of mod_alias, with one, in a <Location>, otherwise:
 * config/verdict knows.
 */
const BY_FORM = { alias: 'NOT_IN_DIRECTORY|NOT_IN_FILES', scriptalias: 'NOT_IN_DIRECTORY|NOT_IN_FILES' };

/**
 * Checked only in a build with an OpenSSL before 1.0, which cannot switch it for each host
 * (ssl_cmd_SSLCompression, SSL_OP_NO_COMPRESSION).
 */
const OLD_BUILDS = new Set(['sslcompression']);

const places = new Map();
for (const { file, name, handler } of commands) {
  const flags =
    BY_FORM[name.toLowerCase()] ?? flagsIn(functions.get(`${file} ${handler}`) ?? functions.get(handler) ?? '');
  if (flags === '' || OLD_BUILDS.has(name.toLowerCase())) continue;
  const names = places.get(flags) ?? places.set(flags, new Set()).get(flags);
  names.add(name.toLowerCase());
}
const sorted = [...places]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([flags, names]) => `${JSON.stringify(flags)}: ${JSON.stringify([...names].sort())}`);
writeFileSync(output, `{\n${sorted.join(',\n')}\n}\n`);

function sources(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) return sources(full);
    return /\.[ch]$/.test(entry.name) && !SKIPPED.test(full) ? [full] : [];
  });
}

/** Functions at the start of a line, with their text up to a brace at the start of a line. */
function* bodies(text) {
  for (const match of text.matchAll(
    /^(?:static |AP\w*_\w+\([^()]*\)|const |void )[^;{}()]*?\b(\w+)\s*\(([^;{}]*)\)\s*\{/gm,
  )) {
    const end = text.indexOf('\n}', match.index);
    yield [match[1], text.slice(match.index, end)];
  }
}

/** AP_INIT_KIND("Name", function, …), the older { "Name", function, … }, and mod_ssl's macros. */
function* tableEntries(text) {
  const constants = new Map([...text.matchAll(/#define\s+(\w+)\s+"([^"]*)"/g)].map((match) => [match[1], match[2]]));
  for (const match of text.matchAll(/\bAP_INIT_\w+\s*\(\s*("([^"]+)"|\w+)\s*,\s*(?:\([^()]*\)\s*)?(\w+)/g)) {
    const name = match[2] ?? constants.get(match[1]);
    if (name) yield { name, handler: match[3] };
  }
  for (const match of text.matchAll(/\bSSL_CMD_(?:ALL|SRV|PXY|DIR)\((\w+),/g))
    yield { name: `SSL${match[1]}`, handler: `ssl_cmd_SSL${match[1]}` };
}

/**
 * All flags of the calls whose answer the function returns, or a function that it hands its own
 * parameters to; those for a warning are left out.
 */
function flagsIn(body, depth = 0) {
  const found = new Set();
  for (const match of depth < 2 ? body.matchAll(/\breturn\s+(\w+)\s*\(\s*(?:cmd|parms)\b/g) : [])
    flagsIn(functions.get(match[1]) ?? '', depth + 1)
      .split('|')
      .filter(Boolean)
      .forEach((flag) => found.add(flag));
  for (const match of body.matchAll(/(\bif\s*\(\s*)?\bap_check_cmd_context\s*\(\s*\w+\s*,([^()]*)\)/g)) {
    if (!match[1]) match[2].split('|').forEach((flag) => found.add(flag.trim()));
  }
  for (const [name, kinds] of Object.entries(WRAPPERS)) {
    for (const match of body.matchAll(new RegExp(`\\b${name}\\s*\\(\\s*\\w+\\s*,\\s*(\\w+)`, 'g')))
      (kinds[match[1]] ?? '')
        .split('|')
        .filter(Boolean)
        .forEach((flag) => found.add(flag));
  }
  return [...found].sort().join('|');
}
