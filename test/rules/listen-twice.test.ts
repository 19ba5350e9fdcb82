import assert from 'node:assert/strict';
import { annotated, fixed } from '../support/rules';

const rule = { rule: 'listen-twice' };
const marked = (text: string) => annotated(text, rule);

describe('listen-twice', () => {
  it('marks the second, whatever its spelling', () => {
    assert.equal(
      marked('Listen 192.0.2.1:80\nlISTEN \\\n 8080\nListen 192.0.2.1:80 http\nListen *:8080\n'),
      'Listen 192.0.2.1:80\nlISTEN \\\n 8080\nListen 192.0.2.1:80 http\n#^^^^^^^^^^^^^^^^^^^^^^^ error listen-twice/twice suggestion\nListen *:8080\n#^^^^^^^^^^^^ error listen-twice/twice suggestion\n',
    );
  });

  it('says nothing of different ones, of variables, of conditions that nobody knows, of comments', () => {
    const clean =
      'Listen 80\nListen 192.0.2.1:80\nListen [::]:80\n# Listen 80\nListen ${PORT}\nListen ${PORT}\n<IfModule mod_ssl.c>\nListen 443\n</IfModule>\n<IfDefine SSL>\nListen 443\nListen 80\n</IfDefine>\n<IfVersion < 2.4>\nListen 80\n</IfVersion>\n';
    assert.equal(marked(clean), clean);
  });

  it('removes the second, when asked', () => {
    const text = 'Listen 80\r\nListen 80\r\n';
    assert.equal(fixed(text, rule), text);
    assert.equal(fixed(text, { ...rule, unsafe: true }), 'Listen 80\r\n');
  });
});
