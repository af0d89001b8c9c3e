import type { Options } from 'yargs'
import type { Command, ValuedOptions } from './command.ts'
import { SETTINGS, type Setting } from './settings/table.ts'

/** Flags of every command that takes settings, besides those of the settings. */
const COMMON_OPTIONS = {
  config: { type: 'string', describe: 'FILE  config file [default: collab.yaml, if it exists]' },
  json: { type: 'boolean', describe: 'prints one JSON document to stdout, and nothing else' },
  'json-file': { type: 'string', describe: 'FILE  writes that document to a file, besides the usual output' },
} as const satisfies Record<string, Options>

/** The common flags that a command does not have. */
function omittedFlags({ json }: Pick<Command, 'json'>): readonly string[] {
  return json === undefined ? [] : json === 'lines' ? ['json-file'] : ['json', 'json-file']
}

/** Whether the option of that name is a positional argument of the command. */
export function isPositional(command: Command, key: string): boolean {
  return new RegExp(`[<[]${key}(\\.\\.)?[\\]>]`).test(command.command)
}

export function needsValue(option: Options): boolean {
  return option.type !== 'boolean' && option.type !== 'count'
}

/** The flags of the settings that a command takes, with what yargs needs to know. A flag of its own replaces one of every command. */
export function settingOptions(command: Command): [string, ValuedOptions][] {
  const { settings, options: own } = command
  if (settings === null) return []
  const groups: readonly string[] = [...settings, 'log']
  const ofToken: readonly string[] =
    command.takesToken === false ? [SETTINGS.tokenFile.flag, SETTINGS.tokenIn.flag] : []
  const entries: Setting<unknown>[] = Object.values(SETTINGS).filter(
    ({ group, flag }) => groups.includes(group) && !ofToken.includes(flag),
  )
  const options = entries.map((entry): [string, ValuedOptions] => {
    const { flag, argument, meaning, env, defaultNote, values = argument.split('|') } = entry
    const note = defaultNote ? ` [default: ${defaultNote}]` : ''
    const describe = `${argument}  ${meaning} [${env}]${note}`
    return [flag, { type: 'string', requiresArg: true, describe, ...(values.length > 1 && { values }) }]
  })
  const omitted = omittedFlags(command)
  const common = Object.entries(COMMON_OPTIONS).filter(([flag]) => !Object.hasOwn(own, flag) && !omitted.includes(flag))
  return [...options, ...common].map(([flag, option]) => [
    flag,
    {
      ...option,
      requiresArg: needsValue(option),
      ...(flag === 'json' && command.json === 'lines' && { describe: 'prints JSON lines to stdout, and nothing else' }),
    },
  ])
}
