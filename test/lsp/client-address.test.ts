/** Findings of a .htaccess that lines of the main file cause. */
import { pathToFileURL } from 'node:url';
import { withFolder } from '../cli/run';
import { Client } from './client';

const HTACCESS = 'Require ip 192.0.2.0/24\n';
const HEAD = 'ServerRoot $FOLDER\nListen 80\nDocumentRoot $FOLDER/www\n';
const SERVED = '<Directory $FOLDER/www>\nAllowOverride All\n</Directory>\n';
const RPAF = 'LoadModule rpaf_module modules/mod_rpaf.so\nRPAFproxy_ips 10.0.0.1\n';

describe(
  'the address of the client in the editor',
  withFolder((folder) => {
    let client: Client;
    const uri = (name: string) => pathToFileURL(folder().at(name)).href;
    const main = (lines: string) => (HEAD + lines + SERVED).replaceAll('$FOLDER', folder().path);
    const isReported = async (): Promise<boolean> =>
      (await client.problems(uri('www/.htaccess'))).some((each) => each.startsWith('client-address'));
    /** The server asks the client to ask again once it knows. */
    const until = async (wanted: boolean): Promise<void> => {
      for (let refreshes = -1; (await isReported()) !== wanted; ) {
        refreshes = client.refreshes;
        await client.until(() => client.refreshes > refreshes);
      }
    };
    afterEach(() => client.stop());

    it('a .htaccess is judged again when the lines of the module change in the main file', async () => {
      const off = main(`${RPAF}RPAFenable Off\n`);
      folder().write('httpd.conf', off);
      folder().write('www/.htaccess', HTACCESS);
      client = await Client.start({ folders: [uri('.')] });
      await client.open(uri('www/.htaccess'), HTACCESS);
      await until(false);
      await client.open(uri('httpd.conf'), off);
      const line = off.split('\n').findIndex((text) => text.startsWith('RPAFenable'));
      const set = (word: string, length: number) =>
        client.change(uri('httpd.conf'), [
          { range: { start: { line, character: 11 }, end: { line, character: 11 + length } }, text: word },
        ]);
      await set('On', 3);
      await until(true);
      await set('Off', 2);
      await until(false);
    });
  }),
);
