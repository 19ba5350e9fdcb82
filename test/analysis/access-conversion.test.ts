/**
 * The planner of access control: what it converts in the given configurations, what the conversions
 * depend on, and what prevents them.
 */
import { reasonText } from '../../server/src/access/not-converted';
import assert from 'node:assert/strict';
import { openQuestionId } from '../../server/src/access/open-question';
import {
  accessConversion,
  type AccessConversion,
  type AccessOptions,
} from '../../server/src/analysis/access-conversion';
import { Engine, type EngineOptions } from '../../server/src/analysis/engine';
import { applyEdits } from '../../server/src/analysis/fixes';
import { ALL_RULES } from '../../server/src/rules/all';
import { memoryFiles } from '../../server/src/config/memory-files';

type Files = Readonly<Record<string, string>>;

interface Asked extends Partial<EngineOptions>, Pick<AccessOptions, 'whyUnchangeable' | 'mayWidenOverride'> {
  /** Default: the first file. */
  readonly roots?: readonly string[];
  readonly others?: readonly string[];
  readonly lone?: readonly string[];
}

const MAIN = '/etc/httpd/conf/httpd.conf';
const HEAD =
  'ServerRoot /etc/httpd\nListen 80\nDocumentRoot /srv/www\n<Directory />\n    AllowOverride None\n</Directory>\n';
const OPEN = '    Order allow,deny\n    Allow from all\n';
const CLOSED = '    Order deny,allow\n    Deny from all\n    Allow from 10\n';
const LOGIN = '    AuthType Basic\n    Require valid-user\n';
const directory = (path: string, body: string) => `<Directory ${path}>\n${body}</Directory>\n`;
const host = (body: string) => `<VirtualHost *:80>\n${body}</VirtualHost>\n`;

describe('the planner of access control', () => {
  describe('a main file', () => {
    const text = HEAD + directory('/srv/www', OPEN);

    it('is converted safely', () => {
      const { texts, access } = planned({ [MAIN]: text });
      assert.deepEqual(
        access.changes.map(({ safety, sectionCount }) => [safety, sectionCount]),
        [['safe', 1]],
      );
      assert.equal(texts[MAIN], HEAD + directory('/srv/www', '    Require all granted\n'));
    });

    it('with another name is no part of a main file beside it that is converted, too', () => {
      const second = '/etc/httpd/conf/httpd-dev.conf';
      const questionIds = (files: Files, roots: string[]) => {
        const { access } = planned(files, { roots });
        return access.changes.flatMap(({ waitsFor }) => waitsFor.map((each) => openQuestionId(each)));
      };
      const isAsked = (files: Files, roots = [MAIN, second]) =>
        questionIds(files, roots).includes(`outside-unseen:${second}`);
      assert.equal(isAsked({ [MAIN]: text, [second]: text }), false);
      assert.equal(isAsked({ [MAIN]: text, [second]: text }, [second]), true);
      assert.equal(isAsked({ [MAIN]: text, [second]: text.replace('Listen 80\n', '') }), true);
      assert.equal(isAsked({ [MAIN]: `Include conf/*-\${X}.conf\n${text}`, [second]: text }), true);
      const ports = `${text.replace('Listen 80\n', '')}Include conf/ports.conf\n`;
      const withPorts = (other: string): Files => ({
        [MAIN]: ports,
        [second]: other,
        '/etc/httpd/conf/ports.conf': 'Listen 80\n',
      });
      assert.equal(isAsked(withPorts(ports)), false);
      assert.equal(isAsked(withPorts(`${ports}# not the same text\n`)), true);
    });

    it('without Listen has no question of its own if the missing file of an Include can have it', () => {
      const { access } = planned({ [MAIN]: `${text.replace('Listen 80\n', '')}Include ports.conf\n` });
      assert.deepEqual(
        access.changes.map(({ waitsFor }) => waitsFor.map(({ kind }) => kind)),
        [['include-unseen']],
      );
    });

    const doubtful: [title: string, files: Files, id: string][] = [
      ['has another name', { '/etc/httpd/conf/main.conf': text }, 'outside-unseen:/etc/httpd/conf/main.conf'],
      ['has no Listen', { [MAIN]: text.replace('Listen 80\n', '') }, `outside-unseen:${MAIN}`],
      [
        'stands beside another one',
        { [MAIN]: text, '/etc/httpd/conf/other.conf': HEAD },
        'other-main:/etc/httpd/conf/other.conf',
      ],
      [
        'has another one in a directory beside it',
        { [MAIN]: text, '/etc/httpd/second/other.cf': HEAD },
        'other-main:/etc/httpd/second/other.cf',
      ],
      [
        'may be included by one above',
        { [MAIN]: text, '/etc/httpd/main.conf': 'Include conf/httpd.conf\n' },
        'other-main:/etc/httpd/main.conf',
      ],
      [
        'may be included by one beside, by a wildcard',
        { [MAIN]: text, '/etc/httpd/conf/a.conf': '<IfModule x>\nInclude conf/*.conf\n</IfModule>\n' },
        'other-main:/etc/httpd/conf/a.conf',
      ],
      [
        'may be included by one below, by its directory',
        { [MAIN]: text, '/etc/httpd/conf/sub/a.conf': 'Include /elsewhere/httpd/conf\n' },
        'other-main:/etc/httpd/conf/sub/a.conf',
      ],
    ];
    for (const [title, files, id] of doubtful) {
      it(`that ${title} is not converted safely`, () => {
        const { texts, access } = planned(files);
        assert.deepEqual(
          access.changes.map(({ safety, waitsFor }) => [safety, waitsFor.map(openQuestionId)]),
          [['suggestion', [id]]],
        );
        assert.deepEqual(texts, files);
        const isOutside = id.startsWith('outside');
        assert.equal(
          planned(files, { assumeStandalone: true }).access.changes[0].safety,
          isOutside ? 'safe' : 'suggestion',
        );
      });
    }

    it('has no question about the original that an installer put beside it', () => {
      const { access } = planned({ [MAIN]: text, '/etc/httpd/conf/httpd-std.conf': HEAD });
      assert.deepEqual(
        access.changes.map(({ safety }) => safety),
        ['safe'],
      );
    });

    it('needs no usual name, and no neighbourhood, where a person named it', () => {
      const { texts } = planned({ '/etc/httpd/conf/main.conf': text, '/etc/httpd/conf/other.conf': HEAD }, {}, true);
      assert.match(texts['/etc/httpd/conf/main.conf'], /Require all granted/);
    });

    it("is nobody's where Port stands for Listen, or an included file has it", () => {
      const texts: readonly Files[] = [
        { [MAIN]: text.replace('Listen', 'Port') },
        { [MAIN]: `${text.replace('Listen 80\n', '')}Include ports.conf\n`, '/etc/httpd/ports.conf': 'Listen 80\n' },
      ];
      for (const files of texts) assert.equal(planned(files).access.changes[0].safety, 'safe');
    });
  });

  it('converts by itself what shares no request with anything else, and what does together', () => {
    const { access } = planned({
      [MAIN]: `${HEAD}${host(directory('/srv/a', CLOSED) + directory('/srv/a/b', OPEN))}${host(directory('/srv/c', CLOSED))}`,
    });
    assert.deepEqual(access.changes.map(({ sectionCount }) => sectionCount).sort(), [1, 2]);
  });

  it('leaves what a comment keeps, and what requests would miss beside it', () => {
    for (const kept of [
      `# httpd-upgrade-ignore order-allow-deny: later\n${directory('/srv/www/a', CLOSED)}`,
      directory('/srv/www/a', `    # httpd-upgrade-ignore order-allow-deny\n${CLOSED}`),
      directory(
        '/srv/www/a',
        CLOSED.replace('    Allow', '    # httpd-upgrade-ignore max-clients, order-allow-deny: x\n    Allow'),
      ),
      `# httpd-upgrade-ignore order-allow-deny: later\n<IfVersion >= 2.2>\n${directory('/srv/www/a', CLOSED)}</IfVersion>\n`,
    ]) {
      const textWith = (above: string) => ({ [MAIN]: `${HEAD}${directory('/srv/www', above)}${kept}` });
      const { texts, access } = planned(textWith(OPEN), { assumeStandalone: true });
      assert.deepEqual(texts, textWith('    Require all granted\n'));
      assert.deepEqual(
        planned(textWith('    Deny from all\n'), { assumeStandalone: true }).texts,
        textWith('    Deny from all\n'),
      );
      assert.match(
        access.configurations[0].refusals.map(({ reason }) => reasonText(reason)).join('\n'),
        /a comment # httpd-upgrade-ignore keeps the lines/,
      );
    }
  });

  it('converts nothing where the rule is switched off', () => {
    const files = { [MAIN]: HEAD + directory('/srv/www', OPEN) };
    assert.deepEqual(planned(files, { severities: { 'order-allow-deny': 'off' } }).texts, files);
  });

  it('plans nothing that needs a file which cannot be changed, and names it', () => {
    const files = {
      [MAIN]: `${HEAD}${directory('/srv/www', OPEN)}${host(`${directory('/srv/a', OPEN)}Include conf/part.inc\n`)}`,
      '/etc/httpd/conf/part.inc': directory('/srv/a/b', CLOSED),
    };
    assert.notDeepEqual(planned(files).texts, files);
    const { texts, access } = planned(files, {
      whyUnchangeable: (file) => (file.endsWith('.inc') ? 'cannot be written' : null),
    });
    assert.deepEqual(texts, files);
    assert.equal(
      reasonText(access.configurations[0].whyNothingConverted!),
      '/etc/httpd/conf/part.inc must change together with this configuration, but cannot be written: remove this obstacle, then run again',
    );
    assert.deepEqual(access.resultAt(MAIN, files[MAIN].indexOf('    Order')), {
      refusal: access.configurations[0].whyNothingConverted,
      waitsFor: [],
    });
  });

  it('advises to answer that 2.4 runs only where that converts the lines', () => {
    const info = `<Location /info>\n${CLOSED}</Location>\n`;
    const reasonBelow = (body: string) => {
      const text = `${HEAD}DocumentRoot /srv/www\n${directory('/srv/www', body)}${info}`;
      const result = planned({ [MAIN]: text }).access.resultAt(MAIN, text.indexOf('    Order'));
      return result && 'refusal' in result && result.refusal ? reasonText(result.refusal) : null;
    };
    const advice = /running-version=2\.4/;
    assert.match(reasonBelow('    Require ip 10.1\n')!, advice);
    // Which methods these lines allow cannot be proved, whatever version runs.
    const reason = reasonBelow('    Require method GET POST\n')!;
    assert.doesNotMatch(reason, advice);
    assert.match(reason, /^httpd-upgrade cannot prove .*: convert these lines by hand/);
  });

  describe('a file that two configurations read', () => {
    const part = '/etc/httpd/conf/part.inc';
    const second = '/etc/httpd/two/httpd.conf';
    const main = `${HEAD}Include conf/part.inc\n`;
    const roots = [MAIN, second];

    it('is converted where it comes to the same in both, and both with it or neither', () => {
      const files = {
        [MAIN]: main + directory('/srv/www', OPEN),
        [second]: main + directory('/srv/www/other', OPEN),
        [part]: directory('/srv/www/a', CLOSED),
      };
      const { texts, access } = planned(files, { roots });
      assert.deepEqual(
        access.changes.map(({ safety, sectionCount }) => [safety, sectionCount]),
        [['safe', 3]],
      );
      assert.equal(texts[part], directory('/srv/www/a', '    Require ip 10\n'));
      const half = planned(files, { roots, whyUnchangeable: (file) => (file === second ? 'cannot be written' : null) });
      assert.deepEqual(half.texts, files);
    });

    it('stays where it does not, and so does all that is decided with it', () => {
      const files = {
        [MAIN]: main + directory('/srv/www', CLOSED),
        [second]: main + directory('/srv/www', OPEN),
        [part]: directory('/srv/www/a', LOGIN),
      };
      const { texts, access } = planned(files, { roots, assumeStandalone: true });
      // The second needs no change of the part, and so none that the first would have to agree to.
      assert.deepEqual(texts, { ...files, [second]: main + directory('/srv/www', '    Require all granted\n') });
      assert.match(reasonText(access.configurations[0].whyNothingConverted!), /\S+ and \S+ include \S*part\.inc/);
      assert.ok(access.isPartOfConfiguration(part));
    });

    it('also where the second main file has another name', () => {
      const other = '/etc/httpd/conf/main-ssl.conf';
      const files = {
        [MAIN]: main + directory('/srv/www', CLOSED),
        [other]: main + directory('/srv/www', CLOSED.replace('10', '11')),
        [part]: directory('/srv/www/a', LOGIN),
      };
      assert.deepEqual(planned(files, { others: [other], assumeStandalone: true }).texts, files);
    });

    it('is not held back by what is included nowhere and is no main file', () => {
      const other = '/etc/httpd/sites/spare.conf';
      const files = {
        [MAIN]: main + directory('/srv/www', CLOSED),
        [other]: `Include ${part}\n${directory('/srv/www', OPEN)}`,
        [part]: directory('/srv/www/a', OPEN),
      };
      const { texts, access } = planned(files, { others: [other] });
      assert.equal(texts[part], directory('/srv/www/a', '    Require all granted\n'));
      assert.equal(texts[other], files[other]);
      assert.ok(access.isPartOfConfiguration(other));
    });
  });

  describe('files that no configuration reads, where a person vouches for what lies outside', () => {
    const [a, b] = ['/here/a.conf', '/here/b.conf'];
    const vouched = (files: Files) => planned(files, { roots: [], lone: Object.keys(files), assumeStandalone: true });

    it('are converted where each comes to the same beside the others', () => {
      const files = { [a]: directory('/srv/www', CLOSED), [b]: directory('/srv/www/b', OPEN) };
      const { texts, access } = vouched(files);
      assert.deepEqual(Object.values(texts), [
        directory('/srv/www', '    Require ip 10\n'),
        directory('/srv/www/b', '    Require all granted\n'),
      ]);
      assert.deepEqual(
        access.changes.map(({ sectionCount, restsOn }) => [sectionCount, restsOn.map(openQuestionId)]),
        [[2, [`outside-unseen:${a}`, `outside-unseen:${b}`]]],
      );
      assert.deepEqual(planned(files, { roots: [], lone: [a, b] }).access.changes, [], 'nobody vouches');
    });

    it('stay where one of them decides about the other', () => {
      for (const files of [
        { [a]: directory('/srv/www', CLOSED), [b]: directory('/srv/www/b', LOGIN + '    Satisfy Any\n') },
        {
          [a]: '<Location />\n    Satisfy Any\n    Require valid-user\n    AuthType Basic\n</Location>\n',
          [b]: directory('/srv/www', CLOSED),
        },
        { [a]: 'Allow from all\n', [b]: directory('/srv/www', LOGIN + CLOSED) },
      ] as readonly Files[]) {
        assert.deepEqual(vouched(files).texts, files, Object.values(files).join('---\n'));
      }
    });

    describe('.htaccess files whose paths show that they apply together', () => {
      const [top, below] = ['/here/www/.htaccess', '/here/www/b/.htaccess'];
      const files = { [top]: 'Order allow,deny\nAllow from all\nDeny from 198.51.100.23\n', [below]: LOGIN };

      it('are converted together: what only asks for a login gets the inherited lines', () => {
        assert.deepEqual(Object.values(vouched(files).texts), [
          '<RequireAll>\n    Require all granted\n    Require not ip 198.51.100.23\n</RequireAll>\n',
          '    AuthType Basic\n    <RequireAll>\n        Require valid-user\n        Require not ip 198.51.100.23\n    </RequireAll>\n',
        ]);
      });

      it('wait for the answer together, with the lines that they get together', () => {
        const { access, texts } = planned(files, { roots: [], lone: [top, below] });
        assert.deepEqual(texts, files);
        const [change] = access.changes;
        assert.equal(change?.safety, 'suggestion');
        assert.deepEqual([...change!.paths].sort(), [below, top].sort());
        assert.deepEqual(change!.waitsFor.map(openQuestionId), [`outside-unseen:${top}`, `outside-unseen:${below}`]);
      });

      it('stay where one of them cannot change, which the reason names', () => {
        const { access, texts } = planned(files, {
          ...{ roots: [], lone: [top, below], assumeStandalone: true },
          whyUnchangeable: (file) => (file === below ? 'lies outside of what was given' : null),
        });
        assert.deepEqual(texts, files);
        const result = access.resultAt(top, 0);
        assert.match(
          result && 'refusal' in result ? reasonText(result.refusal) : '',
          /^\/here\/www\/b\/\.htaccess applies to the same requests and must change, too, but lies outside/,
        );
      });

      it('are converted where what cannot change does not apply with them', () => {
        const others = { ...files, '/here/x/.htaccess': 'Order deny,allow\nDeny from all\n' };
        const { texts } = planned(others, {
          ...{ roots: [], lone: Object.keys(others), assumeStandalone: true },
          whyUnchangeable: (file) => (file === '/here/x/.htaccess' ? 'lies outside of what was given' : null),
        });
        assert.notEqual(texts[top], files[top]);
        assert.equal(texts['/here/x/.htaccess'], others['/here/x/.htaccess']);
      });
    });

    it('stay where a configuration at hand may bring in anything', () => {
      const files: Files = { [MAIN]: `${HEAD}Include \${WHAT}\n`, [a]: directory('/srv/www', CLOSED) };
      assert.deepEqual(planned(files, { lone: [MAIN, a], assumeStandalone: true }).texts, files);
    });
  });
});

// ---------------------------------------------------------------------------------------------------------------------

function planned(
  files: Files,
  asked: Asked = {},
  isNamed = false,
): { readonly access: AccessConversion; readonly texts: Files } {
  const {
    roots = [Object.keys(files)[0]],
    others = [],
    lone = [],
    whyUnchangeable,
    mayWidenOverride,
    ...options
  } = asked;
  const engine = new Engine({ rules: ALL_RULES, ...options });
  const of = (mainFile: string) => ({ mainFile, engine, server: {}, isNamed });
  const access = accessConversion({
    roots: roots.map(of),
    otherRoots: others.map(of),
    standaloneFiles: lone.map(of),
    view: memoryFiles(files),
    whyUnchangeable,
    mayWidenOverride,
  });
  return {
    access,
    texts: Object.fromEntries(
      Object.entries(files).map(([path, text]) => [path, applyEdits(text, access.editsOfFile(path, false))]),
    ),
  };
}
