/** The settings that change what is found or fixed, as the engine takes them: the same in the editor, on the command line and in the library. */
import type { EngineOptions } from '../analysis/engine-view';
import { SETTINGS, type Setting } from './schema';
import type { SettingValues } from './values';

type ForEngine = Extract<(typeof SETTINGS)[number], { readonly engine: string }>;

/** A value that the engine does not take is refused here by the compiler. */
type Taken<Options extends Partial<EngineOptions>> = Options;

export type OptionsOfSettings = Taken<{ readonly [S in ForEngine as S['engine']]: SettingValues[S['name']] }>;

export function engineOptions(values: SettingValues): OptionsOfSettings {
  return Object.fromEntries(
    SETTINGS.flatMap((setting: Setting) =>
      setting.engine ? [[setting.engine, values[setting.name as keyof SettingValues]]] : [],
    ),
  ) as OptionsOfSettings;
}
