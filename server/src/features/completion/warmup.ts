/**
 * Prepares completion, because the first list of a process is slow: it reads tables and runs new
 * code. The preparation runs in steps of a few milliseconds while no request waits. After it, a
 * list reads no table (test/cost/completion.slow.test.ts). Descriptions are read when needed.
 */
import type { Engine } from '../../analysis/engine';
import { thirdPartyModule } from '../../directives/third-party';
import { vocabulary, VOCABULARY_KINDS } from '../../directives/vocabularies';
import { Tree } from '../../syntax/document';
import { completion, type CompletionClient } from './completion';
import { prepareNameSuggestions } from './names';

/**
 * Prepares completion in steps. Each step takes a few milliseconds, and the caller lets other work
 * run between two steps.
 */
export function* prepareCompletion(engine: Engine, client: CompletionClient): Generator<void> {
  yield* prepareNameSuggestions();
  for (const kind of VOCABULARY_KINDS) vocabulary(kind);
  yield;
  thirdPartyModule('');
  for (const [text, isHtaccess = false] of SAMPLE_TEXTS) {
    yield;
    const offset = text.indexOf('|');
    const tree = Tree.parse(text.replace('|', ''));
    engine.analyze(tree, { isHtaccess });
    completion({ tree, offset, engine, isHtaccess }, client);
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Texts for which lists are made. `|` is the cursor. Short lists come first, because they prepare
 * parts of the long lists.
 */
const SAMPLE_TEXTS: readonly (readonly [text: string, isHtaccess?: boolean])[] = [
  ['Options |'],
  ['<|\n'],
  ['</|'],
  ['Require |\n'],
  ['Require expr |\n'],
  ['RewriteRule ^ - [|\n'],
  ['RewriteRule ^ - [R=|\n'],
  ['RewriteCond %{|\n'],
  ['RewriteCond %{HTTP:|\n'],
  ['RewriteCond a -|\n'],
  ['<If "|">\n</If>\n'],
  ['LogFormat "%|" a\n'],
  ['LogFormat "%{|" a\n'],
  ['AddType |\n'],
  ['AddType text/html |\n'],
  ['AddCharset |\n'],
  ['Header |\n'],
  ['Header set |\n'],
  ['SetHandler |\n'],
  ['SetOutputFilter |\n'],
  ['ErrorDocument |\n'],
  ['Redirect |\n'],
  ['SetEnvIf |\n'],
  ['<IfModule |>\n</IfModule>\n'],
  ['LogLevel |\n'],
  ['LoadModule |\n'],
  ['LoadModule alias_module |\n'],
  ['AuthBasicProvider |\n'],
  ['SSLSessionCache |\n'],
  ['Mutex |\n'],
  ['<Limit |>\n</Limit>\n'],
  ['ProxyPass / |\n'],
  ['CustomLog a |\n'],
  ['Define A b\nListen ${|\n'],
  ['Include |\n'],
  ['AllowOverrideList |\n'],
  ['|\n', true],
  ['<VirtualHost *:80>\n|\n</VirtualHost>\n'],
  ['<Directory />\n|\n</Directory>\n'],
  ['|\n'],
  ['LoadModule alias_module modules/mod_alias.so\n<|\n'],
  ['LoadModule alias_module modules/mod_alias.so\n|\n', true],
  ['LoadModule alias_module modules/mod_alias.so\n|\n'],
];
