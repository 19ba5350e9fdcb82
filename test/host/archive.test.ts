/** Archives come from other machines: nothing in one leads outside, and its size is limited. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { pack, type Header } from 'tar-stream';
import { ArchiveError, packArchive, unpackArchive } from '../../server/src/host/archive';
import { withFolder } from '../cli/run';

type Entry = Partial<Header> & { readonly name: string; readonly text?: string };

const isBuffer = (given: readonly Entry[] | Buffer): given is Buffer => given instanceof Buffer;

async function archiveOf(entries: readonly Entry[]): Promise<Buffer> {
  const packed = pack();
  const chunks: Buffer[] = [];
  packed.on('data', (chunk) => chunks.push(chunk as Buffer));
  for (const { text = '', ...header } of entries)
    if (header.type) packed.entry(header);
    else packed.entry(header, text);
  packed.finalize();
  await new Promise<void>((resolve) => packed.on('end', () => resolve()));
  return gzipSync(Buffer.concat(chunks));
}

describe(
  'archives',
  withFolder((folder) => {
    const unpack = async (entries: readonly Entry[] | Buffer, limits?: { maxBytes: number; maxEntries: number }) => {
      folder().write('in/a.tar.gz', isBuffer(entries) ? entries : await archiveOf(entries));
      folder().write('out/.keep', '');
      await unpackArchive(folder().at('in/a.tar.gz'), folder().at('out'), limits);
    };

    it('are unpacked with their links, and only the user can read them', async () => {
      await unpack([
        { name: './etc/', type: 'directory', mode: 0o777 },
        { name: 'etc/a\nb $x', text: 'Listen 80\n', mode: 0o777 },
        { name: 'etc/link', type: 'symlink', linkname: '../etc/a\nb $x' },
        { name: `etc/${'long/'.repeat(60)}x`, text: 'y' },
      ]);
      const place = folder().at('out/etc/a\nb $x');
      assert.equal(readFileSync(place, 'utf8'), 'Listen 80\n');
      assert.equal(statSync(place).mode & 0o777, 0o600);
      assert.equal(readlinkSync(folder().at('out/etc/link')), '../etc/a\nb $x');
      assert.equal(folder().text(`out/etc/${'long/'.repeat(60)}x`), 'y');
    });

    const REFUSED: Readonly<Record<string, readonly Entry[]>> = {
      'an absolute name': [{ name: '/etc/x', text: 'x' }],
      'a name with ..': [{ name: 'a/../../x', text: 'x' }],
      'an absolute link': [{ name: 'x', type: 'symlink', linkname: '/etc' }],
      'a link that leads outside': [{ name: 'a/x', type: 'symlink', linkname: '../../etc' }],
      'a link that leads outside through another': [
        { name: 'a/b/up', type: 'symlink', linkname: '../..' },
        { name: 'a/b/x', type: 'symlink', linkname: 'up/../x' },
      ],
      'a link that leads outside through another, where the case of names does not matter': [
        { name: 'a/b/up', type: 'symlink', linkname: '../..' },
        { name: 'a/b/x', type: 'symlink', linkname: 'UP/../x' },
      ],
      'a link that leads outside, and a harmless one with its name in another case': [
        { name: 'a/x', type: 'symlink', linkname: '../../etc' },
        { name: 'a/X', type: 'symlink', linkname: 'b' },
      ],
      'a link that leads outside through a directory, and a link with its name in another case': [
        { name: 'a/D/', type: 'directory' },
        { name: 'a/d', type: 'symlink', linkname: 'b/c/e' },
        { name: 'x', type: 'symlink', linkname: 'a/D/../../..' },
      ],
      'a directory with the name of a link in another case': [
        { name: 'a/d', type: 'symlink', linkname: 'b/c/e' },
        { name: 'a/D/', type: 'directory' },
      ],
      'a link that leads outside through another, in letters that a disk takes for the same': [
        { name: 'a/b/\u1e9e\u200d', type: 'symlink', linkname: '../..' },
        { name: 'a/b/x', type: 'symlink', linkname: 'SS/../x' },
      ],
      'a file below a link': [
        { name: 'd', type: 'symlink', linkname: 'e' },
        { name: 'd/x', text: 'x' },
      ],
      'a link in the place of a directory': [
        { name: 'd/x', text: 'x' },
        { name: 'd', type: 'symlink', linkname: 'e' },
      ],
      'a name twice': [
        { name: 'x', text: '1' },
        { name: './x', text: '2' },
      ],
      'thousands of directories in each other': [{ name: `${'a/'.repeat(2000)}httpd.conf`, text: 'x' }],
      'a device': [{ name: 'null', type: 'character-device', devmajor: 1, devminor: 3 }],
      'a FIFO': [{ name: 'fifo', type: 'fifo' }],
      'a hard link': [
        { name: 'x', text: 'x' },
        { name: 'y', type: 'link', linkname: 'x' },
      ],
    };
    for (const [title, entries] of Object.entries(REFUSED))
      it(`with ${title} are rejected`, async () => {
        await assert.rejects(unpack(entries), ArchiveError);
        assert.deepEqual(readdirSync(folder().path).sort(), ['in', 'out']);
      });

    it('that are too large, or no archives, are rejected', async () => {
      const text = 'x'.repeat(5000);
      await assert.rejects(unpack([{ name: 'x', text }], { maxBytes: 4999, maxEntries: 9 }), /is too large/);
      await assert.rejects(
        unpack([{ name: 'a' }, { name: 'b' }, { name: 'c' }], { maxBytes: 9, maxEntries: 2 }),
        /has too many files/,
      );
      await assert.rejects(unpack(Buffer.from('no archive')), /is no archive/);
      const whole = await archiveOf([{ name: 'x', text }]);
      await assert.rejects(unpack(whole.subarray(0, whole.length - 20)), /is no archive/);
    });

    it('end early where the header promises little and the rest is long', async () => {
      // 200 MB of zeros are 200 kB here.
      const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024));
      await assert.rejects(unpack(bomb, { maxBytes: 1024, maxEntries: 4 }), /is too large/);
    });

    it('are packed again, without files of others', async () => {
      await unpack([
        { name: 'top/a', text: 'a' },
        { name: 'top/l', type: 'symlink', linkname: 'a' },
      ]);
      const file = folder().at('again.tgz');
      await packArchive(folder().at('out/top'), file);
      assert.equal(statSync(file).mode & 0o777, 0o600);
      await unpackArchive(file, folder().at('in'));
      assert.equal(folder().text('in/top/l'), 'a');
      await assert.rejects(packArchive(folder().at('out/top'), file), /EEXIST/);
    });
  }),
);
