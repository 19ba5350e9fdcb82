import { contentSpan, NOTHING } from './support/edits';
import { loadInstead, loadModuleOf, unlessAskedFor } from './support/load-module';
import type { LineRule } from './rule';

/** `LoadModule disk_cache_module`: the module's name in 2.4 is cache_disk, that of its file, too. */
export const diskCacheModule: LineRule = {
  id: 'disk-cache-module',
  title: 'LoadModule of mod_disk_cache, now mod_cache_disk',
  consequence: 'will not start',
  fix: 'safe',
  scope: 'line',
  names: ['loadmodule'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_cache_disk.html',
  page: {
    what: '`LoadModule disk_cache_module …/mod_disk_cache.so`. The module is called mod_cache_disk in 2.4.',
    why:
      '2.4 renamed mod_disk_cache to mod_cache_disk. Its directives and `CacheEnable disk` are the same. mod_cache must be loaded before mod_cache_disk, as in 2.2.\n\n' +
      '2.4 does not find the files that 2.2 cached. They have another format, and the default of CacheDirLevels changed from 3 to 2.',
    httpd:
      '`Cannot load modules/mod_disk_cache.so into server: … cannot open shared object file: No such file or directory`. With the new file and the old identifier: ' +
      '`undefined symbol: disk_cache_module`. If the line comes before mod_cache: `undefined symbol: ap_cache_cacheable_headers_in`.',
    fixing:
      '- **Safe**: replace both names on the line by those of 2.4 and keep the directory. It is the same module with a new name.\n' +
      '- **Suggestion** if any file has directives that are not about the cache in an `<IfModule>` for this module.\n' +
      '- **Suggestion** if only a part of the configuration is checked.',
    sources: [
      'modules/cache/mod_disk_cache.c of 2.2, mod_cache_disk.c of 2.4: DEFAULT_DIRLEVELS, DISK_FORMAT_VERSION',
      'manual 2.4, upgrading',
      'experiment: test/httpd/claims-modules.test.ts',
    ],
  },
  examples: [
    {
      title: 'A LoadModule line of mod_disk_cache',
      before: 'LoadModule disk_cache_module modules/mod_disk_cache.so\n',
      after: 'LoadModule cache_disk_module modules/mod_cache_disk.so\n',
      finds: ['renamed'],
      prelude: 'LoadModule cache_module modules/mod_cache.so\n',
    },
  ],
  check({ line }) {
    const loaded = loadModuleOf(line);
    if (loaded === null || (loaded.identifier.value !== 'disk_cache_module' && loaded.fileName !== 'mod_disk_cache.so'))
      return NOTHING;
    return [
      {
        messageId: 'renamed',
        what: '`disk_cache_module` is now `cache_disk_module`',
        cause: 'In 2.4 the file mod_disk_cache.so does not exist.',
        help: 'Load cache_disk_module from mod_cache_disk.so.',
        ...contentSpan(line),
        ...unlessAskedFor([
          { title: 'Load cache_disk_module instead', safety: 'safe', edits: loadInstead(loaded, 'cache_disk') },
        ]),
      },
    ];
  },
};
