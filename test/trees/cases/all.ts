/** All cases, and those that are not right yet. */
import type { Case, Part } from './case';
import { FOUND } from './found';
import { READ } from './read';
import { WRITTEN } from './written';

export const CASES: readonly Case[] = [...FOUND, ...WRITTEN, ...READ];

/** By name. A test fails when one of them is right, so that it is taken out here. */
export const PENDING: Readonly<Record<string, Part>> = {
  'a .htaccess above the served directory': 'engine',
  'a .htaccess far above the served directory, in the tree\'s own directory': 'engine',
  'a .htaccess above the target of an Alias': 'engine',
  'a .htaccess that only one of two names leads to': 'engine',
  'AccessFileName of a virtual host alone: the main server has its own name': 'engine',
  'two names of AccessFileName: the first that is there is read, and no other': 'engine',
  'two names of AccessFileName, the login in the second': 'engine',
  'an included part that looks like a whole configuration: PidFile': 'planner',
  'an included part that looks like a whole configuration: ServerRoot': 'planner',
  'an included part that looks like a whole configuration, Fix All': 'planner',
  'two roots that share a part, --assume-standalone on the directory': 'planner',
  'a main file with another name: fix --write --assume-standalone .': 'planner',
  '--assume-standalone says nothing of which name a link leads by': 'planner',
  'a copy of another machine\'s configuration, where this machine has the same paths: fix --write copy/conf/httpd.conf': 'planner',
  'a copy of another machine\'s configuration, where this machine has the same paths: fix --write --unsafe copy/conf/httpd.conf': 'planner',
  'a copy of another machine\'s configuration, where this machine has what it serves: fix --write copy/conf/httpd.conf': 'planner',
  'a part called conf/part.inc: fix --write .': 'planner',
  'a part called conf/part.inc: fix --write --assume-standalone .': 'planner',
  'a part called conf/part.cfg: fix --write .': 'planner',
  'a part called conf/part.cfg: fix --write --assume-standalone .': 'planner',
  'a part called conf/part: fix --write .': 'planner',
  'a part called conf/part: fix --write --assume-standalone .': 'planner',
  'a part called .git/part.conf: fix --write .': 'planner',
  'a part called .git/part.conf: fix --write --assume-standalone .': 'planner',
  'a part called node_modules/part.conf: fix --write .': 'planner',
  'a part called node_modules/part.conf: fix --write --assume-standalone .': 'planner',
  'a .htaccess by another name: fix --write on the directory': 'planner',
  'a .htaccess in node_modules: fix --write on the directory': 'planner',
  'a part that cannot be written: foreign': 'writer',
  'a part that cannot be written: a hard link': 'writer',
  'a part that cannot be written, and a second run: foreign': 'writer',
  'a part that cannot be written, and a second run: a hard link': 'writer',
  'a .htaccess that cannot be written': 'writer',
  'a section that a comment keeps as it is': 'planner',
  'a line that a comment keeps as it is': 'planner',
  'a file that a comment keeps as it is': 'planner',
  'Require "valid-user" lets nobody in': 'engine',
  'a limit in quotes': 'engine',
  'a last line of a .htaccess that goes on': 'engine',
  'a comment of 8191 characters, and what 2.2 takes for the next line': 'engine',
  '--source 2.4 with AuthType in a Location alone': 'engine',
  'the usual Subversion: AuthzSVNAccessFile, Satisfy Any and a login': 'engine',
  'AuthzSVNAccessFile in a Directory, and Satisfy Any from outside': 'engine',
  'AuthzSVNAccessFile in a Location, and Satisfy Any from outside': 'engine',
  'a preferred quick fix of one section': 'planner',
  'what the plan refutes is not offered section by section: fix --write --unsafe conf/httpd.conf': 'planner',
  'what the plan refutes is not offered section by section: fix --write --unsafe .': 'planner',
  'a login limited to methods in a Location, over directories that differ: fix --write --unsafe conf/httpd.conf': 'planner',
};
