/**
 * Gives generated servers the paths of Windows, with drives, backslashes and other letter case.
 * Their sections have to be converted as on POSIX, or not at all if a pattern reads such paths
 * otherwise. So the results of generated.slow.test.ts apply to them, too.
 * HTTPD_UPGRADE_CONFIGURATIONS is the number of servers.
 */
import assert from 'node:assert/strict';
import { accessConversion } from '../../server/src/analysis/access-conversion';
import { Engine } from '../../server/src/analysis/engine';
import { applyEdits } from '../../server/src/analysis/fixes';
import { ALL_RULES } from '../../server/src/rules/all';
import { memoryFiles } from '../../server/src/config/memory-files';
import { Random, seed } from '../support/random';
import { listed } from './converted';
import { FILES, FOLDERS, MAIN, randomConfiguration, textsOf } from './generate';

const COUNT = Number(process.env.HTTPD_UPGRADE_CONFIGURATIONS ?? 200);
const COPY = '/copy';

type Texts = Readonly<Record<string, string>>;

describe('generated servers on Windows', function () {
  this.timeout(COUNT * 200 + 600_000);

  it(`${COUNT} are converted as on POSIX`, () => {
    const start = seed();
    const seen = { converted: 0, same: 0, different: 0 };
    for (let i = 0; i < COUNT; i++) {
      const random = new Random(start + i);
      const texts = textsOf(randomConfiguration(random));
      const main = `Listen 80\n${texts[MAIN]}`;
      const posix = planned({ ...texts, [MAIN]: main }, {});
      const onDrive = Object.fromEntries(
        Object.entries({ ...texts, [MAIN]: main }).map(([path, text]) => [COPY + path, onWindows(text, random)]),
      );
      const windows = planned(onDrive, { base: COPY });
      // What the same names come to, once the spellings of paths are left out.
      const plain = Object.fromEntries(
        Object.entries(windows).map(([path, text]) => [path.slice(COPY.length), asOnPosix(text)]),
      );
      const wanted = Object.fromEntries(Object.entries(posix).map(([path, text]) => [path, asOnPosix(text)]));
      const changed = Object.keys(plain).filter(
        (path) => plain[path] !== asOnPosix(path === MAIN ? main : texts[path]),
      );
      if (changed.length > 0) seen.converted++;
      const isSame = JSON.stringify(plain) === JSON.stringify(wanted);
      if (isSame) seen.same++;
      else seen.different++;
      // Patterns and regular expressions match otherwise there: with none of them all is the same.
      const hasPatterns = /<(Directory|Files)Match|<Directory ~|<Files ~|<(Directory|Files) "?[^>]*[*?[]/.test(
        Object.values(texts).join(''),
      );
      if (!hasPatterns)
        assert.ok(isSame, `HTTPD_UPGRADE_SEED=${start + i}:\n${listed(posix)}\n--- on Windows:\n${listed(windows)}`);
    }
    assert.ok(seen.converted * 4 > COUNT && seen.same * 2 > COUNT, JSON.stringify(seen));
  });
});

/** What safe changes make of the files. */
function planned(texts: Texts, { base = '' }: { readonly base?: string }): Texts {
  const view = memoryFiles({
    ...Object.fromEntries(FOLDERS.flatMap((folder) => FILES.map((file) => [`${base}${folder}/${file}`, '']))),
    ...texts,
  });
  const engine = new Engine({ rules: ALL_RULES });
  const server = base === '' ? {} : { pathMap: { entries: [{ from: 'C:/', to: base }] } };
  const conversion = accessConversion({ roots: [{ mainFile: base + MAIN, engine, server, isNamed: true }], view });
  return Object.fromEntries(
    Object.entries(texts).map(([path, text]) => [path, applyEdits(text, conversion.editsOfFile(path, false))]),
  );
}

const SPELLINGS: readonly ((path: string) => string)[] = [
  (path) => `C:${path}`,
  (path) => `c:${path}`,
  (path) => `C:${path.toUpperCase()}`,
  (path) => `C:${path.replace(/\/(?=.)/g, '\\')}`,
  (path) => `c:${path.replace(/htdocs|other/, (name) => name.toUpperCase())}`,
];

/** Every path of a file in some spelling of Windows; patterns as they are, on the drive. */
function onWindows(text: string, random: Random): string {
  return text
    .split('\n')
    .map((line) => {
      if (/^\s*<(DirectoryMatch|Directory ~)/.test(line))
        return line.replace(/\^\/srv/g, '^C:/srv').replace(/"\/srv/g, '"C:/srv');
      const isPattern = /<Directory .*[*?[]/.test(line);
      const spelled = (path: string) => (isPattern ? `C:${path}` : random.pick(SPELLINGS)(path));
      return line.replace(/\/srv[^\s">]*/g, spelled).replace(/<Directory \/\*>/, '<Directory C:/*>');
    })
    .join('\n');
}

/** Without the differences that it makes. */
function asOnPosix(text: string): string {
  return text
    .replace(/[cC]:([\\/][^\s">]*)/g, (_, path: string) => path.replaceAll('\\', '/'))
    .replace(/\/srv[^\s">]*|\/SRV[^\s">]*/g, (path) => path.toLowerCase());
}
