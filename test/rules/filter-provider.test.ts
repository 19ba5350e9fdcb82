import assert from 'node:assert/strict';
import { annotated, fixed } from '../support/rules';

const rule = { rule: 'filter-provider' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('filter-provider', () => {
  const expression = (words: string, unsafe = false) =>
    /^FilterProvider f p "(.*)"\n$/.exec(fix(`FilterProvider f p ${words}\n`, unsafe))?.[1];

  it('leaves expressions alone, comments, and what 2.2 refuses', () => {
    const clean =
      'FilterProvider f p "%{CONTENT_TYPE} =~ m#^text/#"\n# FilterProvider f p resp=A $b\nFilterProvider f p\nFilterProvider f p a b c\nFilterProvider f p a ""\n';
    assert.equal(marked(clean), clean);
    assert.equal(fix(clean, true), clean);
  });

  it('marks criterion and match, in odd case, in sections', () => {
    assert.equal(
      marked(
        '<Location />\n  fILTERpROVIDER f p resp=Content-Type $text/\n  FilterProvider f p env=x *\n</Location>\n',
      ),
      `<Location />
  fILTERpROVIDER f p resp=Content-Type $text/
#                    ^^^^^^^^^^^^^^^^^^^^^^^^ error filter-provider/dispatch safe
  FilterProvider f p env=x *
#                    ^^^^^^^ error filter-provider/dispatch suggestion
</Location>
`,
    );
  });

  it('maps what maps one to one', () => {
    const rows = [
      ['resp=Content-Type $Text/', "%{CONTENT_TYPE} -strcmatch '*text/*'"],
      ['Content-Type text/html', "%{CONTENT_TYPE} -strcmatch 'text/html'"],
      ['RESP=X-Y $a', "%{resp:X-Y} -strcmatch '*a*'"],
      ['X-Y a', "%{resp:x-y} -strcmatch 'a'"],
      ['handler !cgi-script', "!(%{HANDLER} -strcmatch 'cgi-script')"],
      ['req=User-Agent /MSIE/i', '%{req_novary:User-Agent} =~ /MSIE/i'],
      ['env=foo "!$a b"', "!(%{reqenv:foo} -strcmatch '*a b*')"],
      ['resp=Content-Type /^text/html/', '%{CONTENT_TYPE} =~ m#^text/html#'],
      ['Content-Type /xml$/x', '%{CONTENT_TYPE} =~ /xml$/'],
    ];
    for (const [before, after] of rows) assert.equal(expression(before), after, before);
  });

  it('leaves to a person what a missing value makes different', () => {
    const rows = [
      ['env=gzip *', '-n %{reqenv:gzip}'],
      ['env=gzip !*', '!(-n %{reqenv:gzip})'],
      ['Content-Length >1000', '-n %{resp:content-length} && %{resp:content-length} -gt 1000'],
      ['Content-Length !<=10', '!(-n %{resp:content-length} && %{resp:content-length} -le 10)'],
      ['resp=X =5', '-n %{resp:X} && %{resp:X} -eq 5'],
      ['req=A /b*/', '%{req_novary:A} =~ /b*/'],
    ];
    for (const [before, after] of rows) {
      assert.equal(expression(before), undefined, before);
      assert.equal(expression(before, true), after, before);
    }
  });

  it('refuses what it would have to escape, variables, and what 2.2 refused', () => {
    for (const words of [
      "X $it's",
      'X a*b',
      'X "a\\"b"',
      'X /a\\/b/',
      'X /a#b/',
      'X ${M}',
      '${C} a',
      'cookie=X a',
      'resp=X/Y a',
      'X /a',
      'X !',
      'X $',
    ]) {
      assert.equal(expression(words, true), undefined, words);
    }
  });

  it('fixes continued lines and CR LF', () => {
    assert.equal(
      fix('FilterProvider f p \\\r\n  resp=X \\\r\n  $a\r\n'),
      'FilterProvider f p \\\r\n  "%{resp:X} -strcmatch \'*a*\'"\r\n',
    );
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfVersion < 2.4>\nFilterProvider f p X a\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});
