/**
 * Whether every generator is linear, in a process of its own with the flags of counted.ts. Prints what is not, a line each. Given: characters of the smallest text; then, if wanted, regular expressions for names of generators
 * and kinds of work. `all` for the kinds: the short form, all of them at once.
 */
import './counted';
import { grown, grownInAll } from './growth';

const [characters = '1000', names = '', kinds = ''] = process.argv.slice(2);
const [name, kind] = [new RegExp(names), new RegExp(kinds)];
const found =
  kinds === 'all'
    ? grownInAll(Number(characters), (each) => name.test(each))
    : grown(Number(characters), (each, own) => name.test(each) && kind.test(own));
for (const line of found) console.log(line);
