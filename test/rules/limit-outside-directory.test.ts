import assert from 'node:assert/strict';
import { annotated, fixed } from '../support/rules';

const rule = { rule: 'limit-outside-directory' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('limit-outside-directory', () => {
  const limit = '<Limit GET>\n</Limit>\n';

  it('leaves those alone that are where they belong, comments, and files that may be included into a section', () => {
    const clean = `<Directory /x>\n${limit}</Directory>\n<VirtualHost *>\n<Location />\n${limit}</Location>\n</VirtualHost>\n<Macro m>\n${limit}</Macro>\n# <Limit GET>\n${limit}`;
    assert.equal(marked(clean), clean);
    assert.equal(fixed(limit, { ...rule, file: '.htaccess', unsafe: true }), limit);
  });

  it('marks the tag, in odd case, at the top of a whole configuration and in a virtual host, once for nested ones', () => {
    assert.equal(
      marked(
        'ServerRoot /srv\n<lIMIT GET>\n<LimitExcept PUT>\n</LimitExcept>\n</lIMIT>\n<VirtualHost *>\n<IfDefine A>\n<LimitExcept GET>\n</LimitExcept>\n</IfDefine>\n</VirtualHost>\n',
      ),
      `ServerRoot /srv
<lIMIT GET>
#^^^^^^^^^^ error limit-outside-directory/not-allowed suggestion
<LimitExcept PUT>
</LimitExcept>
</lIMIT>
<VirtualHost *>
<IfDefine A>
<LimitExcept GET>
#^^^^^^^^^^^^^^^^ error limit-outside-directory/not-allowed suggestion
</LimitExcept>
</IfDefine>
</VirtualHost>
`,
    );
  });

  it('puts a location around the section when asked, with CR LF, continued, at the end of the file', () => {
    const text = 'ServerRoot /srv\r\n  <Limit \\\r\n  GET>\r\n  </Limit>';
    assert.equal(fix(text), text);
    assert.equal(
      fix(text, true),
      'ServerRoot /srv\r\n  <Location "/">\r\n  <Limit \\\r\n  GET>\r\n  </Limit>\r\n  </Location>',
    );
    assert.equal(
      fix(`<VirtualHost *>\n${limit}${limit}</VirtualHost>\n`, true),
      `<VirtualHost *>\n<Location "/">\n${limit}</Location>\n<Location "/">\n${limit}</Location>\n</VirtualHost>\n`,
    );
  });

  it('refuses to fix a tag without its close', () => {
    const text = '<VirtualHost *>\n<Limit GET>\n</VirtualHost>\n';
    assert.equal(fix(text, true), text);
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfVersion < 2.4>\n<VirtualHost *>\\n<Limit GET>\\n</Limit>\\n</VirtualHost>\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});
