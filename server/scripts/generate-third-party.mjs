// Gathers the directives of third-party modules as Debian packages them, from the command tables in
// the modules themselves. Writes server/src/directives/generated/third-party.json: for each module
// its identifier (as in LoadModule), its source file (as in <IfModule>), its file, its package, and
// its directives, sections with their `<`, and where the command table allows each (`s` server and
// virtual host, `d` sections of directories and locations, `h` .htaccess). The functions of the
// directives refuse more: data/third-party.json has that, from the sources of the modules.
//
//   node server/scripts/generate-third-party.mjs [FOLDER]      FOLDER keeps the downloaded packages; needs a Debian with apt and dpkg
//
// Only run when the list is to be renewed: the result is committed, and nothing else needs the
// network.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Sizes and offsets of module_struct and command_struct on 64 bit. */
const MODULE_NAME = 16;
const MODULE_COOKIE = 40;
/** `AP24` */
const COOKIE = 0x41503234;
const MODULE_COMMANDS = 88;
const COMMAND_SIZE = 40;
const COMMAND_OVERRIDE = 24;
const OR_OPTIONS = 2;
const OR_FILEINFO = 4;
const OR_INDEXES = 16;
const OR_ALL = 31;
const ACCESS_CONF = 64;
const RSRC_CONF = 128;
const NO_BITS = 8;
const RELOCATIONS = 4;
const DYNAMIC_SYMBOLS = 11;

const output = path.resolve(
  path.dirname(fileURLToPath(import.meta.url)),
  '..',
  'src',
  'directives',
  'generated',
  'third-party.json',
);
const folder = path.resolve(process.argv[2] ?? mkdtempSync(path.join(os.tmpdir(), 'modules-')));
mkdirSync(folder, { recursive: true });

const packages = run('apt-cache', ['search', '--names-only', '^libapache2-(mod|mpm)-'])
  .split('\n')
  .map((line) => line.split(' ')[0])
  .filter((name) => name !== '' && !/-(dev|doc|dbg)$|-php$/.test(name))
  .sort();
const own = new Set(
  JSON.parse(readFileSync(path.join(output, '..', '..', 'data', 'modules.json'), 'utf8')).map(({ name }) => name),
);

const modules = packages.flatMap((name) => {
  const unpacked = path.join(folder, name);
  try {
    if (!readdirSync(folder).includes(name)) {
      run('apt-get', ['download', name]);
      const file = readdirSync(folder).find((entry) => entry.startsWith(`${name}_`) && entry.endsWith('.deb'));
      run('dpkg-deb', ['-x', file, unpacked]);
    }
  } catch (error) {
    console.error(`${name}: ${String(error.message).split('\n')[0]}`);
    return [];
  }
  return files(unpacked).flatMap((file) =>
    modulesIn(file).map((module) => ({ ...module, file: path.basename(file).replace(/-[\d.]+$/, ''), package: name })),
  );
});

const found = modules.filter(
  ({ source, directives }) => Object.keys(directives).length > 0 && !own.has(source.replace(/\.c(pp|c)?$/, '')),
);
const lines = found.map((module) => JSON.stringify(module)).sort();
writeFileSync(output, `[\n${[...new Set(lines)].join(',\n')}\n]\n`);
console.log(
  `${found.length} modules, ${found.reduce((sum, { directives }) => sum + Object.keys(directives).length, 0)} directives`,
);

function run(program, args) {
  return execFileSync(program, args, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 1 << 26,
  });
}

function files(from) {
  return readdirSync(from, { withFileTypes: true }).flatMap((entry) => {
    const full = path.join(from, entry.name);
    if (entry.isDirectory()) return files(full);
    return entry.isFile() && /\/apache2\/modules\/[^/]+\.so(-[\d.]+)?$/.test(full) ? [full] : [];
  });
}

/**
 * The modules of a shared object: its exported symbols that are module structures (`module_struct`
 * in include/http_config.h), as the cookie in them tells. Their pointers are in the relocations.
 * ELF, 64 bit, little endian.
 */
function modulesIn(file) {
  const elf = readFileSync(file);
  if (elf.readUInt32BE(0) !== 0x7f454c46 || elf[4] !== 2 || elf[5] !== 1)
    throw new Error(`${file} is no 64 bit little endian ELF`);
  const sections = readSections(elf);
  const relocations = readRelocations(elf, sections);
  const textAt = (address) => stringAt(elf, offsetOf(sections, address));
  return symbols(elf, sections)
    .filter(
      ({ address, size }) =>
        size >= MODULE_COMMANDS && elf.readUInt32LE(offsetOf(sections, address) + MODULE_COOKIE) === COOKIE,
    )
    .flatMap(({ name, address }) => {
      const source = relocations.get(address + MODULE_NAME);
      const commands = relocations.get(address + MODULE_COMMANDS);
      if (source === undefined) return [];
      const directives = {};
      for (let at = commands; at !== undefined && relocations.has(at); at += COMMAND_SIZE)
        directives[textAt(relocations.get(at))] = placesOf(elf.readInt32LE(offsetOf(sections, at) + COMMAND_OVERRIDE));
      const sorted = Object.fromEntries(Object.entries(directives).sort(([a], [b]) => (a < b ? -1 : 1)));
      return [{ identifier: name, source: path.basename(textAt(source)), directives: sorted }];
    });
}

/**
 * Where `req_override` of a command allows it (include/http_config.h: OR_* and *_CONF;
 * process_command_config and ap_parse_htaccess in server/config.c).
 */
function placesOf(override) {
  const isIn = (bits) => (override & bits) !== 0;
  return `${isIn(RSRC_CONF | OR_OPTIONS | OR_FILEINFO | OR_INDEXES) ? 's' : ''}${isIn(ACCESS_CONF | OR_ALL) ? 'd' : ''}${isIn(OR_ALL) ? 'h' : ''}`;
}

function readSections(elf) {
  const start = Number(elf.readBigUInt64LE(0x28));
  const [size, count] = [elf.readUInt16LE(0x3a), elf.readUInt16LE(0x3c)];
  return Array.from({ length: count }, (_, index) => {
    const at = start + index * size;
    const long = (offset) => Number(elf.readBigUInt64LE(at + offset));
    return {
      type: elf.readUInt32LE(at + 4),
      address: long(16),
      offset: long(24),
      size: long(32),
      link: elf.readUInt32LE(at + 40),
    };
  });
}

/**
 * What the loader writes where: R_X86_64_RELATIVE and R_AARCH64_RELATIVE by their addend, symbols
 * of this object by their address.
 */
function readRelocations(elf, sections) {
  const values = new Map();
  for (const { type, offset, size, link } of sections) {
    if (type !== RELOCATIONS) continue;
    for (let at = offset; at < offset + size; at += 24) {
      const [address, info, addend] = [
        elf.readBigUInt64LE(at),
        elf.readBigUInt64LE(at + 8),
        elf.readBigInt64LE(at + 16),
      ];
      const symbol = Number(info >> 32n);
      if (symbol === 0) values.set(Number(address), Number(addend));
      else {
        const value = Number(elf.readBigUInt64LE(sections[link].offset + symbol * 24 + 8));
        if (value !== 0) values.set(Number(address), value + Number(addend));
      }
    }
  }
  return values;
}

function symbols(elf, sections) {
  return sections
    .filter(({ type }) => type === DYNAMIC_SYMBOLS)
    .flatMap(({ offset, size, link }) =>
      Array.from({ length: size / 24 }, (_, index) => {
        const at = offset + index * 24;
        const name = stringAt(elf, sections[link].offset + elf.readUInt32LE(at));
        return {
          name,
          address: Number(elf.readBigUInt64LE(at + 8)),
          size: Number(elf.readBigUInt64LE(at + 16)),
          section: elf.readUInt16LE(at + 6),
        };
      }),
    )
    .filter(
      ({ section, address }) =>
        section > 0 &&
        section < sections.length &&
        sections[section].type !== NO_BITS &&
        address >= sections[section].address,
    );
}

function offsetOf(sections, address) {
  const section = sections.find(
    ({ type, address: start, size }) => type !== NO_BITS && start !== 0 && address >= start && address < start + size,
  );
  if (!section) throw new Error(`no section has ${address}`);
  return section.offset + address - section.address;
}

function stringAt(bytes, offset) {
  return bytes.toString('latin1', offset, bytes.indexOf(0, offset));
}
