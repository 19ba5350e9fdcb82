/**
 * The values of variables at the end of a file that a shell reads; null if only a shell can compute
 * it.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { shellAssignments, assignedWords } from '../../server/src/syntax/shell-assignments';
import { rounds } from '../support/rounds';

const CASES: readonly (readonly [text: string, expected: Readonly<Record<string, string | null>>])[] = [
  ['A=1\n', { A: '1' }],
  ['A=1', { A: '1' }],
  ['  A="one two"\r\n'.replace('\r', ''), { A: 'one two' }],
  ["A='one $B'\n", { A: 'one $B' }],
  ['A=1\nA=2\n', { A: '2' }],
  ['A="a"\nA+=" b"\n', { A: 'a b' }],
  ['A+=b\n', { A: 'b' }],
  ['A=1\nB=$A-${A}x\n', { A: '1', B: '1-1x' }],
  ['A="a \\\nb"\n', { A: 'a b' }],
  ['A="a\nb"\n', { A: 'a\nb' }],
  ['A=a"b"\'c\'\\d\n', { A: 'abcd' }],
  ['A="\\$x \\" \\n"\n', { A: '$x " \\n' }],
  ['# A=1\nB=2 # C=3\n', { B: '2' }],
  ['A=x#y\n', { A: 'x#y' }],
  ['A=\n', { A: '' }],
  ['A=1; B=2\n', { A: '1', B: '2' }],
  ['A=1 B=2\n', { A: '1', B: '2' }],
  ['export A=1 B=2\n', { A: '1', B: '2' }],
  ['A=1\nexport A\nunset A\n', {}],
  ['A=1 true\necho A=2\n', {}],
  // What a shell would work out.
  ['A=$(date)\nB=`date`\nC=$HOME_OF_NOBODY\nD=${A:-1}\nE=1\n', { A: null, B: null, C: null, D: null, E: '1' }],
  ['A=1\nA="$(date)"\n', { A: null }],
  ['A=1\nif false; then\n  A=2\nfi\nB=3\n', { A: null, B: '3' }],
  ['if false; then A=2; else B=1; fi\nC=1\n', { A: null, B: null, C: '1' }],
  ['A=1\nfalse && A=2\n', { A: null }],
  ['A=1\nfalse &&\n  A=2\nB=1\n', { A: null, B: '1' }],
  ['A=1\ntrue || A=2\nB=1\n', { A: null, B: '1' }],
  ['A=1\nA=2 | cat\nB=1\n', { A: null, B: '1' }],
  ['f() {\n  A=1\n}\nB=1\n', { A: null, B: '1' }],
  ['f(){\n  A=1\n}\nB=1\n', { A: null, B: '1' }],
  ['case x in\n  y) A=1;;\nesac\nB=1\n', { A: null, B: '1' }],
  ['for i in 1; do\n  A=$i\ndone\nB=1\n', { A: null, B: '1' }],
  ['A=1\n. /dev/null\nB=1\n', { A: null, B: '1' }],
  ['A=1\nif false; then unset A; fi\n', { A: null }],
  ['cat >/dev/null <<X\nA=1\nX\nB=1\n', { A: null, B: null }],
  ['A="1\n', { A: null }],
];

describe('assignments of a shell', () => {
  for (const [text, expected] of CASES)
    it(JSON.stringify(text), () => {
      const found = Object.fromEntries([...shellAssignments(text)].map(([name, { value }]) => [name, value]));
      const known = Object.fromEntries(
        Object.entries(found).filter(([name]) => name in expected || found[name] !== null),
      );
      assert.deepEqual(known, expected);
      // Every reported value is the shell's.
      const names = Object.keys(expected).filter((name) => expected[name] !== null);
      const print = names.map((name) => `printf '%s\\0' "$${name}"`).join('\n');
      const { status, stdout } = spawnSync('/bin/bash', ['-c', `${text}\n${print}\n`], { encoding: 'utf8', env: {} });
      if (names.length === 0 || text.includes('"1\n')) return;
      assert.equal(status, 0);
      assert.deepEqual(
        stdout.split('\0').slice(0, -1),
        names.map((name) => expected[name]),
      );
    });

  it('what is exported, wherever that is said', () => {
    const found = shellAssignments('A=1\nexport A\nexport B=2\nC=3\ndeclare -x D=4\n');
    assert.deepEqual(
      [...found].filter(([, { isExported }]) => isExported).map(([name]) => name),
      ['A', 'B', 'D'],
    );
  });

  it('the words of a value, with their lines', () => {
    const found = shellAssignments('# modules\nA="one two \\\nthree"\nA+=\' four\'\nB="x\n  y"\n');
    assert.deepEqual(
      assignedWords(found.get('A')).map(({ text, row }) => `${text}:${row}`),
      ['one:1', 'two:1', 'three:2', 'four:3'],
    );
    assert.deepEqual(
      assignedWords(found.get('B')).map(({ text, row }) => `${text}:${row}`),
      ['x:4', 'y:5'],
    );
    assert.deepEqual(assignedWords(found.get('C')), []);
  });

  it('values that double with every line end', () => {
    const text = `A=xx\n${'A=$A$A\n'.repeat(60)}`;
    assert.equal(shellAssignments(text).get('A')?.value, null);
  });

  it('random text: no error, and nothing is said that a shell does not have', () => {
    const LINES = [
      'A=1',
      'B="$A x"',
      'export C=2',
      "A='q r'",
      'A+=z',
      'unset A',
      'true && A=3',
      'A=4 || B=5',
      'if false; then B=6',
      'fi',
      '{ C=7',
      '}',
      'f() {',
      'cat <<X',
      'X',
      'C=$(echo $A)',
      'A="a',
      'b"',
      'case x in y) C=8;; esac',
      'B=\\$A',
      'A=1 | cat',
    ];
    const ODD = ['"', "'", '\\', ';', '&&', '|', '#', ' ', '(', ')', '<', '$', '`', '\n', '{', '}'];
    let seed = 7;
    const next = (n: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
    const texts = Array.from({ length: rounds(4000) }, () => {
      const text = Array.from({ length: 1 + next(5) }, () => LINES[next(LINES.length)]!).join('\n');
      const at = next(text.length);
      return next(3) === 0 ? text.slice(0, at) + ODD[next(ODD.length)]! + text.slice(at) : text;
    });
    const script = texts
      .map((text, i) => {
        const quoted = `'${text.replaceAll("'", "'\\''")}\n'`;
        return `(unset A B C; eval ${quoted} >/dev/null 2>&1 </dev/null; s=$?; printf '%s\\1%s\\1%s\\1%s\\1%s\\n\\2' ${i} "$s" "\${A-unset}" "\${B-unset}" "\${C-unset}") 2>/dev/null`;
      })
      .join('\n');
    const { stdout } = spawnSync('/bin/bash', ['-s'], { input: script, encoding: 'utf8', env: {}, maxBuffer: 1 << 28 });
    let compared = 0;
    for (const entry of stdout.split('\n\u0002').filter(Boolean)) {
      const [i, status, ...values] = entry.split('\u0001');
      // What a shell refuses to read, no server starts with.
      if (status === '2' || status === '1') continue;
      const found = shellAssignments(`${texts[Number(i)]!}\n`);
      ['A', 'B', 'C'].forEach((name, k) => {
        const value = found.get(name)?.value ?? null;
        if (value === null) return;
        compared++;
        assert.equal(value, values[k], JSON.stringify(texts[Number(i)]));
      });
    }
    assert.ok(compared > rounds(500), `${compared} values compared`);
  });
});
