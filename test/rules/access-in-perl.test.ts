import assert from 'node:assert/strict';
import { annotated, findingsIn } from '../support/rules';

const rule = { rule: 'access-in-perl' };

describe('access-in-perl', () => {
  it('marks the section, in odd case, under conditions and in sections, with its words once', () => {
    assert.equal(
      annotated(
        '<IfModule mod_perl.c>\n<pERL>\n  push @PerlConfig, "Order deny,allow", "Deny from all", "Deny from all";\n</pERL>\n</IfModule>\n',
        rule,
      ),
      '<IfModule mod_perl.c>\n<pERL>\n#^^^^^ info access-in-perl/old-words none\n  push @PerlConfig, "Order deny,allow", "Deny from all", "Deny from all";\n</pERL>\n</IfModule>\n',
    );
    assert.match(
      findingsIn(
        '<VirtualHost *:80>\r\n<Perl>\r\n$Location{"/"} = { "Satisfy" => "Any" };\r\n</Perl>\r\n</VirtualHost>\r\n',
        rule,
      )[0].message,
      /^`Satisfy` in `<Perl>`/,
    );
  });

  it('leaves other programs and comments alone, and what is not read', () => {
    for (const text of [
      '<Perl>\n# Order deny,allow\nmy $order = 1; sort_order($x); $Allow{1} = 2;\n</Perl>\n',
      '<IfVersion < 2.4>\n<Perl>\n"Deny from all"\n</Perl>\n</IfVersion>\n',
      'Order deny,allow\n',
      '<Perl>\n</Perl>\n',
    ])
      assert.deepEqual(findingsIn(text, rule), [], text);
  });
});
