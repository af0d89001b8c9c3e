import { resolve } from 'node:path'
import { Secret } from '../secret.ts'
import type { Settings } from './resolve.ts'
import type { SettingGroup } from './setting.ts'
import { SETTINGS } from './table.ts'

/**
 * The flags that give another command the same settings of a group, each after a space, for a command line to copy.
 * Defaults are left out, and so are secrets, which stay in the environment.
 */
export function settingsFlags(settings: Settings, group: SettingGroup): string {
  const flags = Object.entries(SETTINGS).flatMap(([key, entry]) => {
    const value = settings[key as keyof typeof SETTINGS] // Object.entries widens the keys of a constant to string
    const isDefault = value === entry.default || (typeof entry.default === 'string' && value === resolve(entry.default))
    const isGiven = entry.group === group && !isDefault && value !== undefined && !(value instanceof Secret)
    return isGiven ? [` --${entry.flag} ${shellQuoted(String(value))}`] : []
  })
  return flags.join('')
}

/** The text as one word of a POSIX shell. */
export function shellQuoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
