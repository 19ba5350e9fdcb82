/**
 * The verdict on values compared with a real httpd's: odd spellings that it accepts, and near
 * misses that it refuses.
 */
import assert from 'node:assert/strict';
import { valueFault } from '../../server/src/validation/argument-values';
import { argumentTable } from '../../server/src/directives/values';
import { argumentsOf, lexLines } from '../../server/src/syntax/line';
import { configTestAll, requireHttpd } from '../httpd/harness';

const TAKEN = [
  'KeepAliveTimeout 5',
  'KeepAliveTimeout +5',
  'KeepAliveTimeout 500ms',
  'KeepAliveTimeout 5mi',
  'KeepAliveTimeout 1hour',
  'KeepAliveTimeout soon',
  'MemcacheConnTTL 1h',
  'IndexOptions +NameWidth=* -FoldersFirst',
  'IndexOptions NONE',
  'indexoptions nAMEwIDTH=20',
  'ProxyReceiveBufferSize none',
  'ProxyReceiveBufferSize 0',
  'ProxyReceiveBufferSize 512',
  'H2Padding 8x',
  'LimitRequestFields many',
  'Options +indexes -MultiViews',
  'SSLProtocol -SSLv2 all',
  'MaxRanges UNLIMITED',
  'MaxRanges 5x',
  'FileETag +INode -Size',
  'TraceEnable EXTENDED',
  'Header always set X-A b early',
  'Header unset X-A',
  'Header edit* X-A a b env=!c',
  'RequestReadTimeout header=5 BODY=5',
  'ProxyPass /a http://localhost/ retry=0 keepalive=ON',
  'ProxyPass /a !',
  'LogLevel warn ssl:INFO mod_ssl.c:trace8',
  'LogMessage "a b" hook=all',
  'LogMessage a expr=true',
  'DirectoryIndexRedirect 308',
];

const REFUSED = [
  'KeepAliveTimeout 5m',
  'KeepAliveTimeout 1.5',
  'KeepAliveTimeout abc',
  'MemcacheConnTTL 2h',
  'IndexOptions +None',
  'IndexOptions NameWidth=3',
  'IndexOptions Fancy',
  'H2Padding 9',
  'LimitRequestFields -1',
  'Options Index',
  'Options +All',
  'SSLProtocol TLSv1.4',
  'MaxRanges 0',
  'FileETag +All',
  'TraceEnable yes',
  'Header put X-A b',
  'LuaScope ONCE',
  'SSLCipherSuite ssl HIGH',
  'CGIVar REQUEST_URI other',
  'AuthLDAPDereferenceAliases NEVER',
  'DirectoryIndexRedirect 404',
  'ProxyReceiveBufferSize 511',
  'ProxyPass /a http://localhost/ foo=1',
  'ErrorLogFormat all "%a"',
  'DeflateFilterNote All note',
  'SSLCARevocationCheck chain strict',
  'DeflateCompressionLevel 12',
  'BrotliCompressionQuality 12',
  'LimitRequestBody 1k',
  'EnableSendfile yes',
  'LogLevel verbose',
  'LogLevel ssl:warning',
  'LogLevel info warn:ssl',
  'Satisfy both',
  'Order deny',
  'AllowMethods get',
];

describe('values of arguments: the verdict', () => {
  it('takes what httpd takes, and refuses what it refuses', () => {
    assert.deepEqual(
      TAKEN.filter((line) => isRefused(line)),
      [],
    );
    assert.deepEqual(
      REFUSED.filter((line) => !isRefused(line)),
      [],
    );
  });

  it('leaves lines with variables alone', () => {
    for (const line of REFUSED.map((text) => text.replace(/\S+$/, '$${X}'))) assert.equal(isRefused(line), false, line);
  });

  it('is that of a real httpd', async function () {
    this.timeout(300_000);
    requireHttpd(this);
    const lines = [...TAKEN, ...REFUSED].flatMap((line) => [
      `<${placeOf(line)}>`,
      line,
      `</${placeOf(line).split(' ')[0]}>`,
    ]);
    const refused = await configTestAll(lines.join('\n'));
    assert.deepEqual(
      refused.map(({ line = 0 }) => lines[line - 1]),
      REFUSED,
    );
  });
});

function isRefused(text: string): boolean {
  const [line] = lexLines(text);
  const table = argumentTable(line.name, { section: false });
  assert.ok(table?.strict, `${line.name} has no strict table`);
  return valueFault(table, argumentsOf(line)) !== null;
}

function placeOf(line: string): string {
  return /^(?:LogMessage|AuthLDAP|CGIVar|Satisfy|Order|AllowMethods|DirectoryIndexRedirect)/.test(line)
    ? 'Directory "/srv/www"'
    : 'VirtualHost 127.0.0.1:8081';
}
