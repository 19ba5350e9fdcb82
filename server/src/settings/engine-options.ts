/**
 * The settings that change findings or fixes, as options of the engine. The editor, the command
 * line and the library use the same options.
 */
import type { EngineOptions } from '../analysis/engine-view';
import { SETTINGS, type Setting } from './schema';
import type { SettingValues } from './values';

type EngineSetting = Extract<(typeof SETTINGS)[number], { readonly engine: string }>;

/** Makes the compiler reject a value that the engine does not accept. */
type AcceptedOptions<Options extends Partial<EngineOptions>> = Options;

/** The options of the engine that come from settings. */
export type OptionsOfSettings = AcceptedOptions<{
  readonly [S in EngineSetting as S['engine']]: SettingValues[S['name']];
}>;

/** The values of the settings that change findings or fixes, as options of the engine. */
export function engineOptions(values: SettingValues): OptionsOfSettings {
  return Object.fromEntries(
    SETTINGS.flatMap((setting: Setting) =>
      setting.engine ? [[setting.engine, values[setting.name as keyof SettingValues]]] : [],
    ),
  ) as OptionsOfSettings;
}
