/** Facts about modules that do not come with httpd. */
import assert from 'node:assert/strict';
import {
  REFUSING_DIRECTIVES,
  DIRECTIVES_REFUSING_IN_SECTIONS,
  GROUP_DIRECTIVES,
} from '../../server/src/access/checkers';
import { ACCESS_NAMES } from '../../server/src/access/conversion-input';
import {
  DIRECTIVES_FOR_CONTENT_WITHOUT_FILE,
  DIRECTIVES_MAPPING_ANY_URL,
  DIRECTIVES_ANSWERING_WITHOUT_FILE,
} from '../../server/src/access/mappers';
import { module } from '../../server/src/directives';
import { allThirdPartyModules, thirdPartyModule, thirdPartyModules } from '../../server/src/directives/third-party';
import facts from '../../server/src/directives/data/third-party.json';

/** The conversion reads where these lines map URLs, as for Alias (access/served-folders.ts). */
const MAPS_ITS_URLS = new Set(['wsgiscriptalias', 'wsgiscriptaliasmatch'].filter((name) => ACCESS_NAMES.has(name)));

describe('third-party modules', () => {
  it('each entry has a source, what the module does, what to do about it, and names of no module of httpd', () => {
    for (const { identifiers, from, about, advice, files, sources } of facts) {
      assert.ok(from.length > 5 && files.length > 0 && sources.length > 0, identifiers[0]);
      assert.match(about, /^[a-z]+s .*[^.]$/, identifiers[0]);
      assert.match(advice, /\.$/, identifiers[0]);
      for (const name of identifiers) {
        assert.equal(module(name), undefined, name);
        assert.deepEqual(thirdPartyModule(name)?.identifiers, identifiers, name);
      }
    }
    assert.ok(facts.length >= 80);
  });

  it('no identifier stands in two entries', () => {
    const all = facts.flatMap(({ identifiers }) => identifiers);
    assert.equal(new Set(all).size, all.length);
  });

  it('where directives may stand is a letter for servers, one for sections, one for .htaccess', () => {
    for (const { places, identifier } of allThirdPartyModules())
      for (const [name, place] of Object.entries(places))
        assert.match(place, /^(?=.)[sgmw]?[dpl]?[ho]?$/, `${identifier} ${name}`);
  });

  describe('the functions of directives narrow what their command tables allow', () => {
    for (const [name, place] of [
      ['JkShmFile', 'g'],
      ['JkMountCopy', 's'],
      ['WSGIPythonOptimize', 'g'],
      ['WSGIRestrictSignal', 'g'],
      ['WSGIRestrictStdout', 'g'],
      ['WSGIDaemonProcess', 's'],
      ['FcgidIPCDir', 'g'],
      ['SocketPath', 'g'],
      ['FcgidMaxRequestLen', 's'],
      ['FastCgiIpcDir', 'g'],
      ['FastCgiExternalServer', 's'],
      ['QS_ClientEntries', 'g'],
      ['LimitUIDRange', 'g'],
      ['SecDataDir', 'm'],
      ['SecRule', 'sdo'],
      ['PassengerRoot', 'w'],
      ['PassengerAppRoot', 'spo'],
      ['DNSSDServiceName', 'slh'],
      ['RMode', 'sp'],
      ['PerlModule', 'sh'],
    ] as const) {
      it(`${name}: ${place}`, () => {
        const modules = thirdPartyModules(name.toLowerCase(), false);
        assert.deepEqual(
          modules.map(({ places }) => places[name]),
          [place],
        );
      });
    }
  });

  it('what refuses requests, or answers for groups, is known to the conversion of access control', () => {
    for (const { refuses, groups, identifier } of allThirdPartyModules()) {
      for (const name of refuses)
        assert.ok(
          REFUSING_DIRECTIVES.has(name.toLowerCase()) || DIRECTIVES_REFUSING_IN_SECTIONS.has(name.toLowerCase()),
          `${identifier} ${name}`,
        );
      for (const name of groups) assert.ok(GROUP_DIRECTIVES.has(name.toLowerCase()), `${identifier} ${name}`);
    }
  });

  it('what serves without a directory is known to the conversion of access control', () => {
    const mapping = [
      DIRECTIVES_ANSWERING_WITHOUT_FILE,
      DIRECTIVES_FOR_CONTENT_WITHOUT_FILE,
      DIRECTIVES_MAPPING_ANY_URL,
    ];
    const serving = allThirdPartyModules().flatMap(({ serves }) => serves);
    assert.ok(serving.length > 20);
    for (const name of serving)
      assert.ok(MAPS_ITS_URLS.has(name.toLowerCase()) || mapping.some((names) => names.has(name.toLowerCase())), name);
    for (const { serves, directives, identifier } of allThirdPartyModules())
      for (const name of serves) assert.ok(directives.includes(name), `${identifier} ${name}`);
  });

  it('directives are found by name, and by what all those of a module begin with', () => {
    const moduleOf = (name: string) => thirdPartyModules(name, false)[0]?.identifier;
    assert.equal(moduleOf('krbmethodnegotiate'), 'auth_kerb_module');
    assert.equal(moduleOf('suphp_engine'), 'suphp_module');
    assert.equal(moduleOf('modpagespeedenablefilters'), 'pagespeed_module');
    assert.equal(moduleOf('php_flag'), 'php_module');
    assert.equal(moduleOf('sminitfile'), 'sm_module');
    assert.equal(moduleOf('casauthoritative'), 'auth_cas_module');
    assert.equal(moduleOf('groupexternalerror'), 'authnz_external_module');
    assert.equal(moduleOf('plsqlsessioncookiename'), 'plsql_module');
    assert.equal(moduleOf('webgateinstalldir'), 'obWebgateModule');
    assert.equal(moduleOf('ldaprequire'), 'ibm_ldap_module');
    assert.equal(moduleOf('lsapi_engine'), 'lsapi_module');
    assert.equal(moduleOf('authcookiename'), 'auth_cookie_module');
    assert.equal(moduleOf('vhmysqltablename'), 'vhost_mysql_module');
    assert.equal(moduleOf('watchlogall'), 'watch_module');
    assert.equal(moduleOf('reportinterval'), 'mpmstats_module');
    assert.equal(moduleOf('maxclients'), undefined);
  });
});
