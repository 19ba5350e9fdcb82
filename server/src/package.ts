/** What the npm package has in one bundle: the command line, and the library, which is the same code under other names. */
export { run } from './cli';
export * as library from './library';
