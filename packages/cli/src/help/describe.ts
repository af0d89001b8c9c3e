import type { Options } from 'yargs'
import type { Command } from '../command.ts'
import { COMMON_OPTIONS, isPositional, needsValue, omittedFlags } from '../options.ts'
import type { ProgramText } from '../parse.ts'
import { SETTINGS, type SettingGroup } from '../settings/table.ts'

/** A flag as completion and manual page show it. */
export interface FlagText {
  /** Without dashes. */
  readonly name: string
  /** One letter, without its dash. */
  readonly short: string | null
  /** Name of its value, such as `FILE`; `null`: it takes none. */
  readonly argument: string | null
  readonly meaning: string
  /** All its values, if there are few. */
  readonly values: readonly string[]
  /** Whether its value is a path. */
  readonly path: PathKind | null
  readonly isRepeatable: boolean
}

/** What a path leads to. A file may be a directory as well, such as a backup. */
export type PathKind = 'file' | 'directory'

/** A positional argument. */
export interface PositionalText {
  readonly name: string
  readonly meaning: string
  readonly values: readonly string[]
  readonly path: PathKind | null
}

/** Settings come in groups, as do the flags that every command with settings has: `common`. */
export type FlagGroup = SettingGroup | 'common'

/** A command as completion and manual page show it. */
export interface DescribedCommand {
  /** Empty for what the program does without a command. */
  readonly name: string
  /** The command line without the program's name: `runs [run]`. */
  readonly usage: string
  readonly describe: string
  readonly examples: readonly (readonly [command: string, what: string])[]
  readonly positionals: readonly PositionalText[]
  readonly flags: readonly FlagText[]
  readonly groups: readonly FlagGroup[]
  /** Flags of these groups that the command does not have. */
  readonly omitted: readonly string[]
}

/** A program as completion and manual page show it; hidden commands and flags are left out. */
export interface DescribedProgram {
  readonly name: string
  readonly version: string
  readonly summary: string
  readonly epilogue: string | null
  /** The config file beats the environment. */
  readonly hasJsonConfig: boolean
  readonly commands: readonly DescribedCommand[]
  readonly settings: Readonly<Record<FlagGroup, readonly FlagText[]>>
}

/** Flags of every command, in yargs' help without an entry of ours. */
export const HELP_FLAGS: readonly FlagText[] = [
  { ...flagText('help', { type: 'boolean', describe: 'prints this help' }), short: 'h' },
  flagText('version', { type: 'boolean', describe: 'prints the version' }),
]

/** Loads every command of a program and describes it. */
export async function describeProgram({
  name,
  version,
  summary,
  commands,
  epilogue,
  hasJsonConfig = false,
}: ProgramText): Promise<DescribedProgram> {
  const loaded = await Promise.all(Object.values(commands).map((load) => load()))
  const withSettings = loaded.filter(({ settings }) => settings !== null)
  return {
    ...{ name, version, summary, epilogue: epilogue ?? null, hasJsonConfig },
    commands: loaded.filter(({ isHidden }) => isHidden !== true).map(commandText),
    settings: {
      service: settingsOf('service'),
      warehouse: settingsOf('warehouse'),
      log: settingsOf('log'),
      common: Object.entries(COMMON_OPTIONS)
        .filter(
          ([flag]) =>
            !loaded.some(({ options }) => Object.hasOwn(options, flag)) &&
            !withSettings.every((command) => omittedFlags(command).includes(flag)),
        )
        .map(([flag, option]) => flagText(flag, option)),
    },
  }
}

/** Every flag of a command, with those of its settings. */
export function allFlags({ settings }: DescribedProgram, { flags, groups, omitted }: DescribedCommand): FlagText[] {
  const ofGroups = groups.flatMap((group) => settings[group]).filter(({ name }) => !omitted.includes(name))
  return [...flags, ...ofGroups, ...HELP_FLAGS]
}

function commandText(command: Command): DescribedCommand {
  const usage = command.command.replace(/^\$0 ?/, '')
  const shown = Object.entries(command.options).filter(([, { hidden }]) => hidden !== true)
  return {
    ...{ name: usage.split(' ')[0] ?? '', usage, describe: command.describe, examples: command.examples },
    positionals: shown
      .filter(([key]) => isPositional(command, key))
      .map(([name, { describe = '', choices = [] }]) => ({
        ...{ name, meaning: describe, values: choices.map(String), path: command.paths?.[name] ?? null },
      })),
    flags: shown.filter(([key]) => !isPositional(command, key)).map(([flag, option]) => flagText(flag, option)),
    groups: command.settings === null ? [] : [...command.settings, 'log', 'common'],
    omitted: omittedFlags(command),
  }
}

function settingsOf(wanted: SettingGroup): FlagText[] {
  return Object.values(SETTINGS)
    .filter(({ group }) => group === wanted)
    .map(({ flag, argument, meaning, env, defaultNote }) => {
      const note = defaultNote ? ` [default: ${defaultNote}]` : ''
      return flagText(flag, { type: 'string', describe: `${argument}  ${meaning} [${env}]${note}` })
    })
}

/** Descriptions of flags with a value begin with its name and two spaces: `FILE  what it holds`. */
function flagText(name: string, option: Options): FlagText {
  const { describe = '', choices = [], default: preset, alias, array = false } = option
  const [, named, rest] = /^(\S.*?) {2}(.*)$/s.exec(describe) ?? []
  const argument = needsValue(option) ? (choices.length > 0 ? choices.join('|') : (named ?? 'VALUE')) : null
  const note = preset === undefined || preset === false ? '' : ` [default: ${String(preset)}]`
  return {
    ...{ name, argument, meaning: `${rest ?? describe}${note}`, isRepeatable: array },
    short: typeof alias === 'string' && alias.length === 1 ? alias : null,
    values: choices.length > 0 ? choices.map(String) : listedValues(argument),
    path: pathKind(argument),
  }
}

/** The values that an argument's name lists: `header|query`. */
function listedValues(argument: string | null): string[] {
  return argument !== null && /^[a-z][\w.-]*(?:\|[a-z][\w.-]*)+$/.test(argument) ? argument.split('|') : []
}

function pathKind(argument: string | null): PathKind | null {
  if (argument?.startsWith('FILE')) return 'file'
  return argument?.startsWith('DIR') ? 'directory' : null
}
