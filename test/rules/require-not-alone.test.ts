import assert from 'node:assert/strict';
import { annotated, findingsIn, fixed, type Asked } from '../support/rules';

const rule = { rule: 'require-not-alone' };
const marked = (text: string, asked: Asked = {}) => annotated(text, { ...rule, ...asked });
const fix = (text: string, unsafe = false, asked: Asked = {}) => fixed(text, { ...rule, ...asked, unsafe });
const dir = (body: string) => `<Directory /srv>\n${body}</Directory>\n`;

describe('require-not-alone', () => {
  it('leaves what is right alone', () => {
    const clean = dir(
      '<RequireAll>\nRequire all granted\nRequire not ip 10\n<RequireNone>\nRequire env a\n</RequireNone>\n<RequireAny>\nRequire host a.b\n</RequireAny>\n</RequireAll>\n# Require not ip 10\nRequire note\nRequire user not ann\n',
    );
    assert.equal(marked(clean), clean);
    assert.equal(fix(clean, true), clean);
  });

  it('leaves alone what may become right by what is included, or by conditions', () => {
    for (const more of [
      'Include a.conf',
      'IncludeOptional a/*.conf',
      'Use A',
      '<IfDefine A>\nRequire all granted\n</IfDefine>',
    ]) {
      const clean = dir(
        `<RequireAll>\nRequire not ip 10\n${more}\n</RequireAll>\n<RequireAny>\n${more}\n</RequireAny>\n`,
      );
      assert.equal(marked(clean), clean);
    }
  });

  it('leaves the top level of a file alone that a RequireAll may include', () => {
    const list = 'Require not ip 10\nRequire not ip 11\n';
    assert.equal(marked(list), list);
    assert.equal(findingsIn(`<RequireAll>\n${list}</RequireAll>\n`, rule).length, 0);
    assert.equal(findingsIn(list, { ...rule, file: '.htaccess' }).length, 2);
    assert.equal(findingsIn(`PidFile x\n${list}`, rule).length, 2);
    assert.equal(findingsIn(`<RequireAny>\n${list}</RequireAny>\n`, rule).length, 2);
  });

  it('marks every such line and container, in odd case, within limits and conditionals', () => {
    assert.equal(
      marked(
        dir(
          '  rEQUIRE  NOT ip 10\n  <Limit GET>\n    <requireNONE>\n      Require not env a\n    </requireNONE>\n  </Limit>\n  <IfDefine A>\n    <RequireAll>\n    </RequireAll>\n  </IfDefine>\n  <RequireAll>\n    Require not ip 10\n  </RequireAll>\n',
        ),
      ),
      `<Directory /srv>
  rEQUIRE  NOT ip 10
# ^^^^^^^^^^^^^^^^^^ error require-not-alone/not none
  <Limit GET>
    <requireNONE>
#   ^^^^^^^^^^^^^ error require-not-alone/none none
      Require not env a
#     ^^^^^^^^^^^^^^^^^ error require-not-alone/not none
    </requireNONE>
  </Limit>
  <IfDefine A>
    <RequireAll>
#   ^^^^^^^^^^^^ error require-not-alone/empty suggestion
    </RequireAll>
  </IfDefine>
  <RequireAll>
# ^^^^^^^^^^^^ error require-not-alone/only-negative suggestion
    Require not ip 10
  </RequireAll>
</Directory>
`,
    );
  });

  it('counts the lines of a RequireAll in a RequireAll as those of the outer one', () => {
    const inner = '<RequireAll>\nRequire not ip 10\n</RequireAll>\n';
    const found = (body: string) =>
      findingsIn(dir(body), rule).map(({ messageId, start }) => `${messageId} ${start - dir('').indexOf('\n') - 1}`);
    assert.deepEqual(found(`<RequireAll>\n${inner}Require all granted\n</RequireAll>\n`), []);
    assert.deepEqual(found(`<RequireAll>\n${inner}</RequireAll>\n`), ['only-negative 0']);
    assert.deepEqual(found(`<RequireAll>\n${inner.replace('</', 'Include x\n</')}</RequireAll>\n`), []);
    assert.deepEqual(found(`<RequireAny>\n${inner}Require all granted\n</RequireAny>\n`), ['only-negative 13']);
  });

  it('is no error in a .htaccess that a RequireAll only refuses: it refuses everybody', () => {
    const text = '<RequireAll>\nRequire not ip 10\n</RequireAll>\n';
    assert.deepEqual(
      findingsIn(text, { ...rule, file: '.htaccess' }).map(({ severity }) => severity),
      ['warning'],
    );
    assert.deepEqual(
      findingsIn(dir(text), rule).map(({ severity }) => severity),
      ['error'],
    );
  });

  it('puts lines together, in a RequireAny too, with comments, continuations and CR LF', () => {
    assert.equal(
      fix(
        dir('\t# hosts\r\n\tRequire ip 10 \\\r\n  11\r\n\t# robots\r\n\r\n\tRequire not env robot\r\n\tAuthName x\r\n'),
        true,
      ),
      dir(
        '\t# hosts\r\n\t<RequireAll>\r\n\t\tRequire ip 10 \\\r\n  11\r\n\t\t# robots\r\n\r\n\t\tRequire not env robot\r\n\t</RequireAll>\r\n\tAuthName x\r\n',
      ),
    );
    assert.equal(
      fix(dir('<RequireAny>\n  Require not ip 10\n  Require not ip 11\n</RequireAny>\n'), true),
      dir(
        '<RequireAny>\n  <RequireAll>\n    Require all granted\n    Require not ip 10\n    Require not ip 11\n  </RequireAll>\n</RequireAny>\n',
      ),
    );
  });

  it('never does so safely, and not at all where other lines stand between, or methods and conditions matter', () => {
    const pair = dir('Require all granted\nRequire not ip 10\n');
    assert.equal(fix(pair), pair);
    for (const body of [
      'Require all granted\nAuthName x\nRequire not ip 10\n',
      '<Limit GET>\nRequire not ip 10\n</Limit>\n',
      '<IfDefine A>\nRequire not ip 10\n</IfDefine>\n',
      'Include a.conf\nRequire not ip 10\n',
      '<RequireAll>\nRequire all granted\n<RequireNone>\nRequire not ip 10\n</RequireNone>\n</RequireAll>\n',
      '<RequireAll>\n<Limit GET>\nRequire not ip 10\n</Limit>\n</RequireAll>\n',
      '<RequireAny>\nAuthName x\n</RequireAny>\n',
    ]) {
      assert.equal(findingsIn(dir(body), rule).length, 1, body);
      assert.equal(fix(dir(body), true), dir(body));
    }
  });

  it('is silent where a container is not closed, and in a section that 2.4 does not read', () => {
    for (const text of [
      dir('<RequireAll>\nRequire not ip 10\n'),
      dir('<IfModule !mod_authz_core.c>\nRequire not ip 10\n</IfModule>\n'),
      '<Macro a>\nRequire not ip 10\n</Macro>\n',
    ])
      assert.equal(marked(text), text);
  });

  it('calls lines of a .htaccess file that deny all requests a mistake', () => {
    const text = '<RequireAll>\nRequire not ip 10\n</RequireAll>\n';
    assert.deepEqual(
      findingsIn(text, { ...rule, file: '.htaccess' }).map(({ consequence }) => consequence),
      ['probably a mistake'],
    );
  });
});
