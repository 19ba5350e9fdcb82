/**
 * The advice and claims in data/notes.json, tried on a real server: replacements are accepted,
 * errors are errors.
 */
import assert from 'node:assert/strict';
import { configTest, NEW_AUTH_DIGEST, releaseOf, requireHttpd, type Httpd } from '../httpd/harness';
import { mayLack } from '../support/lacks';

const ACCEPTED: Readonly<Record<string, string>> = {
  AcceptFilter: 'AcceptFilter http none\nAcceptFilter https none',
  'Alias, ScriptAlias, Redirect':
    '<Location "/a">\nAlias "@ROOT@"\n</Location>\n<Location "/b">\nScriptAlias "@ROOT@/"\n</Location>\n<Location "/c">\nRedirect http://192.0.2.1/\n</Location>',
  CacheDisable: '<Location "/a">\nCacheDisable on\n</Location>',
  'CacheEnable mem is no error': 'CacheEnable mem /',
  CookieLog: 'CustomLog "logs/cookies" "%{name}n"',
  DirectoryIndex: 'DirectoryIndex disabled',
  FilterProvider: 'FilterDeclare x\nFilterProvider x DEFLATE "%{CONTENT_TYPE} -strmatch \'text/*\'"',
  IncludeOptional: 'IncludeOptional "no-such-*.conf"',
  KeepAliveTimeout: 'KeepAliveTimeout 500ms',
  'LogLevel of modules':
    'LogLevel warn dumpio:trace7 rewrite:trace3 ext_filter:trace8 charset_lite:trace8 authz_core:debug',
  Mutex:
    'Mutex file:@ROOT@ rewrite-map\nMutex sem ssl-cache\nMutex file:@ROOT@ ssl-stapling\nMutex file:@ROOT@ watchdog-callback',
  'Options All with a sign is no error': '<Directory "/x">\nOptions All -Indexes\n</Directory>',
  RequestReadTimeout: 'RequestReadTimeout header=0 body=0',
  'SSLCARevocationCheck, SSLProxyCARevocationCheck': 'SSLCARevocationCheck chain\nSSLProxyCARevocationCheck chain',
  SSLOptions: 'SSLOptions +LegacyDNStringFormat',
  'SSLProtocol -SSLv2': 'SSLProtocol all -SSLv2',
};

const REFUSED: Readonly<Record<string, string>> = {
  AuthDigestAlgorithm: '<Directory "/x">\nAuthDigestAlgorithm MD5-sess\n</Directory>',
  AuthDigestQop: '<Directory "/x">\nAuthDigestQop none\n</Directory>',
  AuthUserFile: '<Directory "/x">\nAuthUserFile x standard\n</Directory>',
  CharsetOptions: '<Directory "/x">\nCharsetOptions DebugLevel=1\n</Directory>',
  ExtFilterOptions: '<Directory "/x">\nExtFilterOptions DebugLevel=1\n</Directory>',
  Include: 'Include "no-such-*.conf"',
  LDAPTrustedClientCert: 'LDAPTrustedClientCert CERT_BASE64 x',
  '<Limit': '<Limit GET>\n</Limit>',
  'Mutex none': 'Mutex none ssl-cache',
  Options: '<Directory "/x">\nOptions Indexes +Includes\n</Directory>',
  ProxyIOBufferSize: 'ProxyIOBufferSize 511',
  ServerName: 'ServerName *.example.org',
  ServerTokens: 'ServerTokens Most',
  SSLProtocol: 'SSLProtocol +SSLv2',
  SSLSessionCache: 'SSLSessionCache shm:x',
};

describe('directives: what the notes say', () => {
  let httpd: Httpd;

  before(function () {
    httpd = requireHttpd(this);
  });

  for (const [name, config] of Object.entries(ACCEPTED)) {
    it(`${name}: accepted`, async () => {
      const { ok, stderr } = await configTest(config);
      assert.ok(ok, stderr);
    });
  }

  for (const [name, config] of Object.entries(REFUSED)) {
    it(`${name}: refused`, async function () {
      // What 2.4.71 refuses, an older one may still take.
      if (name.startsWith('AuthDigest') && releaseOf(httpd) < NEW_AUTH_DIGEST) mayLack(this, 'new httpd');
      assert.equal((await configTest(config)).ok, false);
    });
  }
});
