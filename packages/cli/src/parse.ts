import yargs, { type Argv, type Options } from 'yargs'
import type { Command, Commands } from './command.ts'
import { CliError, UsageError } from './errors.ts'
import { describeExitCodes } from './exit.ts'
import type { Setting } from './settings/setting.ts'
import { SETTINGS } from './settings/table.ts'

export interface ProgramText {
  readonly name: string
  readonly version: string
  readonly summary: string
  readonly commands: Commands
}

/** What the command line asks for: a text to be shown, or a command to be run. */
export type Parsed =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'command'; readonly command: Command; readonly args: Record<string, unknown> }

const COMMON_OPTIONS = {
  config: { type: 'string', describe: 'FILE  config file [default: collab.yaml, if there is one]' },
  json: { type: 'boolean', describe: 'one JSON document on stdout, nothing else there' },
} as const satisfies Record<string, Options>

/** @throws UsageError one line that says what is wrong and which help to read */
export async function parseCommandLine(program: ProgramText, argv: readonly string[]): Promise<Parsed> {
  let chosen: Parsed | undefined
  let help = ''
  const parser = yargs()
    .scriptName(program.name)
    .usage(`${program.summary}\n\nUsage: $0 ${usageOf(program.commands)}`)
    .locale('en')
    .exitProcess(false)
    .strict()
    .recommendCommands()
    .parserConfiguration({
      'boolean-negation': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'parse-positional-numbers': false,
    })
    .version(program.version)
    .wrap(Math.min(120, process.stdout.columns ?? 100))
    .epilogue('A flag beats the environment, the environment beats the config file collab.yaml.')
    .epilogue(describeExitCodes())
  hideTypes(parser)
  for (const command of await loadCommands(program.commands, argv)) {
    addCommand(parser, program.name, command, (args) => {
      chosen = { kind: 'command', command, args }
    })
  }
  if (!('$0' in program.commands)) parser.demandCommand(1, 'no command was given')
  parser.fail((message: string | null, error: unknown) => {
    throw error instanceof CliError ? error : new UsageError(explain(message, error, argv))
  })
  try {
    await parser.parseAsync([...argv], {}, (_error: unknown, _args: unknown, text: string) => {
      help = text
    })
    if (chosen?.kind === 'command') checkValues(chosen.args, chosen.command)
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`${error.message} (see ${helpCommand(program, argv)})`)
    throw error
  }
  return chosen ?? { kind: 'text', text: help }
}

/** Help without `[string]` after each flag: what a flag takes stands in its description. */
function hideTypes(parser: Argv): void {
  const configurable = parser as Argv & { usageConfiguration(options: { 'hide-types': boolean }): Argv } // its types lag behind
  configurable.usageConfiguration({ 'hide-types': true })
}

/** Those that the command line names, or all: to load what a command needs takes longer than all else before it runs. */
function loadCommands(commands: Commands, argv: readonly string[]): Promise<Command[]> {
  const all = Object.entries(commands)
  const named = all.filter(([name]) => argv.includes(name))
  return Promise.all((named.length > 0 ? named : all).map(([, load]) => load()))
}

function usageOf(commands: Commands): string {
  return '$0' in commands ? '[flags]' : '<command> [flags]'
}

function addCommand(
  parser: Argv,
  program: string,
  command: Command,
  choose: (args: Record<string, unknown>) => void,
): void {
  parser.command(
    command.command,
    command.describe,
    (builder) => {
      for (const [key, option] of Object.entries(command.options)) {
        if (isPositional(command, key)) builder.positional(key, { describe: option.describe ?? '', type: 'string' })
        else builder.option(key, { requiresArg: needsValue(option), group: 'Flags:', ...option })
      }
      for (const [flag, option] of settingOptions(command)) builder.option(flag, option)
      for (const [flag, option] of Object.entries(COMMON_OPTIONS)) {
        builder.option(flag, { ...option, requiresArg: needsValue(option), group: 'Settings:' })
      }
      for (const [line, what] of command.examples) builder.example(`${program} ${line}`.trim(), what)
      return builder
    },
    (args) => choose(args),
  )
}

function isPositional(command: Command, key: string): boolean {
  return new RegExp(`[<[]${key}(\\.\\.)?[\\]>]`).test(command.command)
}

function needsValue(option: Options): boolean {
  return option.type !== 'boolean' && option.type !== 'count'
}

function settingOptions(command: Command): [string, Options][] {
  const groups: readonly string[] = [...command.settings, 'log']
  const settings: Setting<unknown>[] = Object.values(SETTINGS).filter(({ group }) => groups.includes(group))
  return settings.map((entry) => [
    entry.flag,
    {
      type: 'string',
      requiresArg: true,
      group: 'Settings:',
      describe: `${entry.argument}  ${entry.meaning} [${entry.env}]${entry.defaultNote ? ` [default: ${entry.defaultNote}]` : ''}`,
    },
  ])
}

/** What yargs lets pass: values that are empty, given twice, or no number. */
function checkValues(args: Record<string, unknown>, command: Command): void {
  const [extra] = Array.isArray(args['_']) ? args['_'].slice(command.command.startsWith('$0') ? 0 : 1) : []
  if (extra !== undefined) throw new UsageError(`there is one argument too many: ${String(extra)}`)
  for (const [key, value] of Object.entries(args)) {
    if (key === '_' || key === '$0') continue
    const option = command.options[key]
    const name = isPositional(command, key) ? key : `--${key}`
    if (Array.isArray(value) && option?.type !== 'array' && option?.array !== true && option?.coerce === undefined) {
      throw new UsageError(`${name} was given ${value.length} times; it takes one value`)
    }
    if (value === '' || (Array.isArray(value) && value.includes(''))) throw new UsageError(`${name} needs a value`)
    if (Number.isNaN(value)) throw new UsageError(`${name} needs a number`)
  }
}

/** yargs' own message in the words of this program. */
function explain(message: string | null, error: unknown, argv: readonly string[]): string {
  const text = message ?? (error instanceof Error ? error.message : String(error))
  const unknown = /^Unknown (?:argument|command)s?: (.*)$/.exec(text)?.[1]
  if (unknown !== undefined) {
    if (unknown === 'token') {
      return 'there is no flag for the token, as it would show in the process list: set COLLAB_TOKEN or give --token-file FILE'
    }
    const names = unknown.split(', ').map((name) => (isFlag(name, argv) ? `--${name}` : name))
    return `unknown argument${names.length > 1 ? 's' : ''}: ${names.join(', ')}`
  }
  const missing = /^Not enough arguments following: (.*)$/.exec(text)?.[1]
  if (missing !== undefined) return `--${missing} needs a value`
  if (text.startsWith('Not enough non-option arguments')) return 'an argument is missing'
  return text.replace(/\s*\n\s*/g, ' ')
}

function isFlag(name: string, argv: readonly string[]): boolean {
  return argv.some((word) => word === `--${name}` || word.startsWith(`--${name}=`))
}

function helpCommand(program: ProgramText, argv: readonly string[]): string {
  const used = argv.find((word) => Object.hasOwn(program.commands, word))
  return [program.name, used, '--help'].filter(Boolean).join(' ')
}
