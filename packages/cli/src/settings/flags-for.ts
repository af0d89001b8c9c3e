import { Secret } from '../secret.ts'
import type { Settings } from './resolve.ts'
import type { SettingGroup } from './setting.ts'
import { SETTINGS } from './table.ts'

/**
 * The flags with which another command has the same settings of a group, for a command line that a person copies, each
 * after a space. Settings that have their default are left out, and so are secrets: these stay in the environment.
 */
export function settingsFlags(settings: Settings, group: SettingGroup): string {
  const flags = Object.entries(SETTINGS).flatMap(([key, entry]) => {
    const value = settings[key as keyof typeof SETTINGS] // Object.entries widens the keys of a constant to string
    const given = entry.group === group && value !== entry.default && value !== undefined && !(value instanceof Secret)
    return given ? [` --${entry.flag} ${shellQuoted(String(value))}`] : []
  })
  return flags.join('')
}

/** The text as one word of a POSIX shell. */
export function shellQuoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
