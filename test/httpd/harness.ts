/**
 * A real httpd 2.4 for tests, as root or as any user. `requireHttpd(this)` in a `before` hook finds
 * it or skips; `configTest` and `configTestAll` ask it to check a configuration, `serve` runs it
 * and sends requests from any loopback address.
 *
 * In configurations and files `@ROOT@` stands for the temporary server root (whose `htdocs/` is the
 * DocumentRoot), `@PORT@` for its port.
 */
export {
  findHttpd,
  loadModuleLines,
  NEW_AUTH_DIGEST,
  releaseOf,
  requireHttpd,
  sinceRelease,
  type Httpd,
  type ModuleSet,
  type Mpm,
} from './installation';
export type { SandboxOptions } from './sandbox';
export { configTest, configTestAll, type ConfigVerdict, type ServerMessage } from './config-test';
export { serve, type RequestOptions, type Response, type Server } from './server';
