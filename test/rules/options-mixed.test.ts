import assert from 'node:assert/strict';
import { Random, seed } from '../support/random';
import { rounds } from '../support/rounds';
import { annotated, findingsIn, fixed } from '../support/rules';

const rule = { rule: 'options-mixed' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('options-mixed', () => {
  const inDirectory = (options: string) => `<Directory /x>\nOptions ${options}\n</Directory>\n`;
  const safe = (options: string) =>
    /^<Directory \/x>\n(.*)<\/Directory>\n$/s
      .exec(fix(inDirectory(options)))![1]
      .replace(/Options /g, '')
      .trimEnd();

  it('leaves what 2.4 reads alone, what 2.2 refuses, comments, variables', () => {
    const read = [
      'Indexes FollowSymLinks',
      '+Indexes -Includes',
      'All',
      'None',
      'All -Indexes',
      'all +MultiViews',
      'None +Indexes',
      'All Indexes -Includes',
      '-Indexes',
      '',
    ];
    const refused = [
      'Indexes +Bogus',
      'Indexes, +Includes',
      '-Indexes # none',
      'Indexes +${X}',
      '${X} +Indexes',
      'Indexes -',
    ];
    for (const options of [...read, ...refused])
      assert.equal(marked(inDirectory(options)), inDirectory(options), options);
    const comment = '# Options Indexes +X\nOption Indexes +X\n';
    assert.equal(marked(comment), comment);
  });

  it('marks the word at which 2.4 stops, in odd case, twice, in nested sections', () => {
    assert.equal(
      marked(
        'oPTIONS Indexes "+Includes"\n<VirtualHost *>\n<Directory /x>\n  Options MultiViews All\n</Directory>\n</VirtualHost>\n',
      ),
      `oPTIONS Indexes "+Includes"
#               ^^^^^^^^^^^ error options-mixed/mixed safe
<VirtualHost *>
<Directory /x>
  Options MultiViews All
#                    ^^^ error options-mixed/all-or-none safe
</Directory>
</VirtualHost>
`,
    );
  });

  it('is all that is said of such a line, and what is misspelled keeps its sign', () => {
    const all = (options: string) =>
      findingsIn(inDirectory(options))
        .filter(({ severity }) => severity === 'error')
        .map(({ rule: { id }, fixes }) => [id, ...fixes.map(({ title }) => title)].join(': '));
    assert.deepEqual(all('-All'), ['options-mixed: Write Options -Indexes -Includes -FollowSymLinks -ExecCGI']);
    assert.deepEqual(all('-None'), ['options-mixed: Remove Options -None']);
    assert.deepEqual(all('-Indexe'), ['invalid-value: Change Options -Indexe to Options -Indexes']);
    assert.deepEqual(all('+Indexe'), ['invalid-value: Change Options +Indexe to Options +Indexes']);
    assert.deepEqual(all('-Al'), ['invalid-value']);
  });

  it('says in one line what 2.2 made of it, where one line does', () => {
    const rows = [
      ['Indexes +FollowSymLinks', 'Indexes FollowSymLinks'],
      ['Indexes +FollowSymLinks -Indexes', 'FollowSymLinks'],
      ['-Indexes FollowSymLinks', 'FollowSymLinks'],
      ['-Indexes -Includes None', 'None'],
      ['Indexes None', 'Indexes'],
      ['MultiViews All', 'All MultiViews'],
      ['+Indexes All', 'All'],
      ['All None', 'All'],
      ['None All', 'All'],
      ['Indexes -Indexes', 'None'],
      ['INDEXES +execcgi', 'INDEXES execcgi'],
      ['All -Indexes Includes', 'Includes FollowSymLinks ExecCGI'],
      ['+Indexes Indexes', 'Indexes'],
    ];
    for (const [before, after] of rows) assert.equal(safe(before), after, before);
  });

  it('spells out All with a sign, and drops None', () => {
    const rows = [
      ['+All', '+Indexes +Includes +FollowSymLinks +ExecCGI'],
      ['-All', '-Indexes -Includes -FollowSymLinks -ExecCGI'],
      ['+MultiViews +All', '+MultiViews +Indexes +Includes +FollowSymLinks +ExecCGI'],
      ['+All -Indexes', '+Includes +FollowSymLinks +ExecCGI -Indexes'],
      ['+None', ''],
      ['-None +Indexes', '+Indexes'],
      ['-All +Indexes', '-Includes -FollowSymLinks -ExecCGI +Indexes'],
    ];
    for (const [before, after] of rows) assert.equal(safe(before), after, before);
  });

  it('needs several lines where an option comes back when something is merged, or where other lines have a say', () => {
    assert.equal(safe('+Indexes FollowSymLinks'), '+Indexes\nFollowSymLinks');
    assert.equal(safe('+Indexes FollowSymLinks -MultiViews'), '+Indexes\nFollowSymLinks\n-MultiViews');
    assert.equal(safe('-Indexes Indexes'), '-Indexes\nIndexes');
    assert.equal(fix('Options Indexes +Includes\n'), 'Options Indexes\nOptions +Includes\n');
    assert.equal(
      fix('<Files x>\nInclude more.conf\nOptions Indexes +Includes\n</Files>\n'),
      '<Files x>\nInclude more.conf\nOptions Indexes\nOptions +Includes\n</Files>\n',
    );
    assert.equal(fixed('Options Indexes +Includes\n', { ...rule, file: '.htaccess' }), 'Options Indexes Includes\n');
    assert.equal(
      fix('<Files x>\nOptions -Includes\nOptions Indexes +Includes\n</Files>\n'),
      '<Files x>\nOptions -Includes\nOptions Indexes\nOptions +Includes\n</Files>\n',
    );
  });

  it('offers the other readings beside it', () => {
    const titles = (options: string) =>
      findingsIn(inDirectory(options), rule)[0].fixes!.map(
        ({ safety, edits }) => `${safety}: ${edits[0].text.replace(/\n/g, ' / ')}`,
      );
    assert.deepEqual(titles('-Indexes FollowSymLinks'), [
      'safe: Options FollowSymLinks',
      'suggestion: Options -Indexes +FollowSymLinks',
    ]);
    assert.deepEqual(titles('+Indexes FollowSymLinks'), [
      'safe: Options +Indexes / Options FollowSymLinks',
      'suggestion: Options FollowSymLinks',
      'suggestion: Options +Indexes +FollowSymLinks',
    ]);
  });

  it('refuses to be sure where Includes and IncludesNOEXEC meet', () => {
    for (const options of ['Includes +IncludesNOEXEC', 'IncludesNOEXEC -Includes', '-IncludesNOEXEC Includes']) {
      assert.equal(fix(inDirectory(options)), inDirectory(options));
      assert.notEqual(fix(inDirectory(options), true), inDirectory(options));
    }
  });

  it('is exact where it says safe: for random lines, whatever is inherited, and whatever is merged on top', () => {
    const start = seed();
    const random = new Random(start);
    const anyLine = () =>
      `Options ${Array.from({ length: 1 + random.below(4) }, () => random.pick(['', '', '+', '-']) + random.pick(Object.keys(BITS))).join(' ')}`;
    for (let i = 0; i < rounds(1500); i++) {
      const line = anyLine();
      const text = inDirectory(line.slice('Options '.length));
      const after = fix(text).split('\n').slice(1, -2);
      const [before, now] = [stateOf([line]), stateOf(after)];
      for (let j = 0; j < 5; j++) {
        const [inherited, add] = [random.below(128), random.below(128)];
        const remove = random.below(128) & ~add;
        assert.equal(
          effect(now, inherited, add, remove),
          effect(before, inherited, add, remove),
          `HTTPD_UPGRADE_SEED=${start} ${line} -> ${after.join(' / ')}`,
        );
      }
    }
  });

  it('fixes continued lines and CR LF', () => {
    assert.equal(
      fix('<Files x>\r\n  Options Indexes \\\r\n    +FollowSymLinks\r\n</Files>\r\n'),
      '<Files x>\r\n  Options Indexes FollowSymLinks\r\n</Files>\r\n',
    );
    assert.equal(
      fix('<Files x>\r\n  Options +Indexes FollowSymLinks\r\n</Files>\r\n'),
      '<Files x>\r\n  Options +Indexes\r\n  Options FollowSymLinks\r\n</Files>\r\n',
    );
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfVersion < 2.4>\nOptions Indexes +Includes\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});

/** set_options and merge_core_dir_configs of 2.2, once more and apart from the rule. */
const BITS: Readonly<Record<string, number>> = {
  Indexes: 1,
  Includes: 2 | 16,
  FollowSymLinks: 4,
  ExecCGI: 8,
  SymLinksIfOwnerMatch: 32,
  MultiViews: 64,
  All: 31,
  None: 0,
};

interface State {
  isUnset: boolean;
  options: number;
  add: number;
  remove: number;
}

function stateOf(lines: readonly string[]): State {
  const state: State = { isUnset: true, options: 0, add: 0, remove: 0 };
  for (const line of lines) {
    let isFirst = true;
    for (const word of line.split(' ').slice(1)) {
      const bits = BITS[word.replace(/^[+-]/, '')];
      if (word.startsWith('-')) {
        state.remove |= bits;
        state.add &= ~bits;
        state.options &= ~bits;
        continue;
      }
      if (word.startsWith('+')) {
        state.add |= bits;
        state.remove &= ~bits;
      } else if (isFirst) {
        state.options = 0;
        state.isUnset = isFirst = false;
      }
      state.options |= bits;
    }
  }
  return state;
}

/**
 * What holds in the section, and in one that is merged on top and adds and removes this and that.
 */
function effect(state: State, inherited: number, add: number, remove: number): string {
  const here = state.isUnset ? (inherited & ~state.remove) | state.add : state.options;
  const below = (here & ~((state.remove & ~add) | remove)) | (state.add & ~remove) | add;
  return `${here} ${below}`;
}
