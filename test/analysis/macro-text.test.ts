/**
 * Fixes in the body of a macro are right for all values of its parameters: the text after all safe
 * fixes, and findings about values.
 */
import assert from 'node:assert/strict';
import { Engine } from '../../server/src/analysis/engine';
import { fixText } from '../../server/src/analysis/fixes';
import { ALL_RULES } from '../../server/src/rules/all';
import { findingsIn } from '../support/rules';

const engine = new Engine({ rules: ALL_RULES });

function fixes(title: string, before: string, after: string): void {
  it(title, () => assert.equal(fixText(engine, before, { isHtaccess: false }).text, after));
}

/** Ids of rules, in order. */
function finds(title: string, text: string, ...ids: readonly string[]): void {
  it(title, () =>
    assert.deepEqual(
      findingsIn(text).map(({ rule, messageId }) => `${rule.id}/${messageId}`),
      ids,
    ),
  );
}

describe('fixes in macros', () => {
  fixes(
    'rename a directive, whatever its value is',
    '<Macro M $n>\n    MaxClients $n\n</Macro>\n',
    '<Macro M $n>\n    MaxRequestWorkers $n\n</Macro>\n',
  );
  fixes(
    'leave a value alone that begins with a number',
    '<Macro M $unit>\nKeepAliveTimeout 15$unit\n</Macro>\n',
    '<Macro M $unit>\nKeepAliveTimeout 15$unit\n</Macro>\n',
  );
  fixes(
    'and one with a parameter of any kind of name',
    '<Macro M ff>\nServerTokens Off\n</Macro>\n',
    '<Macro M ff>\nServerTokens Off\n</Macro>\n',
  );
  fixes(
    'change a value without one',
    '<Macro M $n>\nServerTokens Off\nServerName $n\n</Macro>\n',
    '<Macro M $n>\nServerTokens Full\nServerName $n\n</Macro>\n',
  );
  fixes(
    'take no line away that has one',
    '<Macro M $n>\nMaxRequestsPerThread $n\nMaxRequestsPerThread 5\n</Macro>\n',
    '<Macro M $n>\nMaxRequestsPerThread $n\n</Macro>\n',
  );
  fixes(
    'do outside what they always do',
    '<Macro M $unit>\n</Macro>\nKeepAliveTimeout 15$unit\n',
    '<Macro M $unit>\n</Macro>\nKeepAliveTimeout 15\n',
  );
  fixes(
    'do not convert access lines whose operand is one',
    'ServerRoot "/srv"\n<Macro M $from>\n<Directory "/srv/www">\nAllowOverride None\nOrder deny,allow\nDeny from all\nAllow from $from\n</Directory>\n</Macro>\nUse M 192.0.2.1\n',
    'ServerRoot "/srv"\n<Macro M $from>\n<Directory "/srv/www">\nAllowOverride None\nOrder deny,allow\nDeny from all\nAllow from $from\n</Directory>\n</Macro>\nUse M 192.0.2.1\n',
  );
  fixes(
    'do not convert access lines that other lines join where the macro is used',
    'ServerRoot "/srv"\n<Macro Closed>\nOrder deny,allow\nDeny from all\n</Macro>\n<Directory "/srv/www">\nAllowOverride None\nUse Closed\nAllow from 192.0.2.1\n</Directory>\n',
    'ServerRoot "/srv"\n<Macro Closed>\nOrder deny,allow\nDeny from all\n</Macro>\n<Directory "/srv/www">\nAllowOverride None\nUse Closed\nAllow from 192.0.2.1\n</Directory>\n',
  );
  fixes(
    'do not convert sections that a macro makes in several places',
    'ServerRoot "/srv"\n<Macro Site>\n<Directory "/srv/www">\nAllowOverride None\nOrder deny,allow\nDeny from all\nAllow from 192.0.2.1\n</Directory>\n</Macro>\n<VirtualHost *:80>\nUse Site\n<Directory "/srv">\nSatisfy any\nRequire valid-user\n</Directory>\n</VirtualHost>\n',
    'ServerRoot "/srv"\n<Macro Site>\n<Directory "/srv/www">\nAllowOverride None\nOrder deny,allow\nDeny from all\nAllow from 192.0.2.1\n</Directory>\n</Macro>\n<VirtualHost *:80>\nUse Site\n<Directory "/srv">\nSatisfy any\nRequire valid-user\n</Directory>\n</VirtualHost>\n',
  );
});

describe('what is said of values in macros', () => {
  finds(
    'nothing of one that is a parameter',
    '<Macro M $signature>\nServerTokens F$signature\nKeepAliveTimeout 1$signature\n</Macro>\n',
  );
  finds(
    'what is wrong without one',
    '<Macro M $signature>\nServerTokens Off\nServerName $signature\n</Macro>\n',
    'value-refused/server-tokens',
  );
  finds(
    'what the directive is, with any value',
    '<Macro M $file>\nRewriteLog $file\n</Macro>\n',
    'rewrite-log/rewrite-log',
  );
});
