/**
 * The core is checked without the types of node, of the editor and of a browser: it does no I/O.
 * This is all that it takes from around it: the tables, which the build puts into each program.
 */
declare function require(path: `./${'generated' | 'data'}/${string}.json`): unknown;
