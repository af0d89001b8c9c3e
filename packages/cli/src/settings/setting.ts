/** Flags come in groups; a command names the groups that it uses. Those of `log` are every command's. */
export type SettingGroup = 'service' | 'warehouse' | 'log'

/** One setting: where it may be given, what it means, and how its text becomes a value. */
export interface Setting<T> {
  readonly flag: string
  readonly env: string
  /** Its key in the config file. */
  readonly key: string
  readonly group: SettingGroup
  /** Name of the value in the help, e.g. `URL`. */
  readonly argument: string
  readonly meaning: string
  /** In the config file it may be a list of single values, which are joined by commas. */
  readonly list?: true
  readonly default: T
  /** The default and its reason, for the help; left out where there is none. */
  readonly defaultNote?: string
  /**
   * @param directory what a relative path is relative to
   * @throws Error whose message continues the setting's name: `must be …`. It never holds a value that may be secret.
   */
  readonly parse: (text: string, directory: string) => T
}

/** Infers the types of an entry of the table. */
export function setting<T>(definition: Setting<T>): Setting<T> {
  return definition
}
