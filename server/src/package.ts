/** The bundle of the npm package: the command line and the library share their code. */
export { run } from './cli';
export * as library from './library';
