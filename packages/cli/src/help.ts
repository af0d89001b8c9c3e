import type { Options } from 'yargs'
import type { Command, CommandSummary } from './command.ts'
import { describeExitCodes } from './errors.ts'
import { isPositional, settingOptions } from './options.ts'
import { textWidth, wrapText } from './text.ts'

/** A command, or what the help says about it. */
export type Listed = Command | CommandSummary

/** What the help says about a program. */
export interface HelpText {
  readonly name: string
  /** One line. */
  readonly summary: string
  /** Text at the end of the help. */
  readonly epilogue?: string
  /** The config file beats the environment. */
  readonly hasJsonConfig?: boolean
}

/** A name, and what it means. */
type Entry = readonly [name: string, meaning: string]

/** Wider lines are hard to read. */
const MAX_COLUMNS = 100

/** A wider name has its meaning on the next line. */
const MAX_NAME = 22

/** The name of a command; `$0` for the only one of a program. */
export function nameOf({ command }: Pick<Command, 'command'>): string {
  return command.split(' ')[0] ?? ''
}

/** `Usage: collab-export list <directory> [flags]`; of the program, where there is no command. */
export function usageOf(program: string, command: Listed | undefined): string {
  const words = command === undefined ? '<command>' : command.command.replace(/^\$0\s*/, '')
  return `Usage: ${[program, words, '[flags]'].filter(Boolean).join(' ')}`
}

/** The help of a program: with the flags of its command `$0`, if there is one. */
export function programHelp(program: HelpText, listed: readonly Listed[]): string {
  const only = listed.find((entry): entry is Command => nameOf(entry) === '$0' && 'run' in entry)
  const commands = listed.filter((entry) => nameOf(entry) !== '$0' && entry.isHidden !== true)
  return join([
    wrapText(program.summary, columns()).join('\n'),
    usageOf(program.name, only),
    section(
      'Commands',
      commands.map(({ command, describe }) => [command, describe]),
    ),
    ...(only === undefined ? [section('Options', OF_EVERY_COMMAND)] : commandParts(program.name, only)),
    commands.length > 1 ? `${program.name} help COMMAND shows the flags of a command.` : '',
    program.epilogue ?? `${wrapText(precedence(program), columns()).join('\n')}\n${describeExitCodes()}`,
  ])
}

/** The help of one command. */
export function commandHelp(program: string, command: Command): string {
  return join([
    usageOf(program, command),
    wrapText(command.describe, columns()).join('\n'),
    ...commandParts(program, command),
  ])
}

const OF_EVERY_COMMAND: readonly Entry[] = [
  ['-h, --help', 'prints this help'],
  ['--version', 'prints the version'],
]

function commandParts(program: string, command: Command): string[] {
  const own = Object.entries(command.options).filter(([, { hidden }]) => hidden !== true)
  const positionals = own.filter(([key]) => isPositional(command, key))
  const flags = own.filter(([key]) => !isPositional(command, key))
  return [
    section(
      'Arguments',
      positionals.map(([key, option]) => [key, meaningOf(option)]),
    ),
    section('Flags', flags.map(flagEntry)),
    section('Settings', settingOptions(command).map(flagEntry)),
    section('Options', OF_EVERY_COMMAND),
    // a command that is longer than the line must not be broken: people copy it
    block(
      'Examples',
      command.examples.flatMap(([line, what]) => [`  ${program} ${line}`.trimEnd(), ...indented(what, 6)]),
    ),
  ]
}

/** The flag with its alias and the name of its value, which begins its description: `FILE  config file`. */
function flagEntry([flag, option]: [string, Options]): Entry {
  const { alias, choices, describe = '', default: preset } = option
  const [, value, meaning = describe] = /^(\S+(?:\|\S+)*) {2}(.*)$/s.exec(describe) ?? []
  const short = typeof alias === 'string' ? `-${alias}, ` : ''
  const note = preset === undefined || preset === false ? '' : ` [default: ${preset}]`
  return [`${short}--${flag} ${choices?.join('|') ?? value ?? ''}`.trimEnd(), `${meaning}${note}`]
}

function meaningOf({ choices = [], describe = '' }: Options): string {
  return [choices.join('|'), describe].filter(Boolean).join('  ')
}

/** The order in which settings apply. */
function precedence({ hasJsonConfig }: HelpText): string {
  const [second, third] = hasJsonConfig
    ? ['the config file', 'the environment']
    : ['the environment', 'the config file']
  return `A flag takes precedence over ${second}, and that over ${third}.`
}

function columns(): number {
  return Math.min(MAX_COLUMNS, process.stdout.columns ?? MAX_COLUMNS)
}

/** Names in a column, and beside each what it means; nothing where there are none. */
function section(title: string, entries: readonly Entry[]): string {
  const widths = entries.map(([name]) => textWidth(name)).filter((width) => width <= MAX_NAME)
  const column = Math.max(0, ...widths) + 4
  const lines = entries.flatMap(([name, meaning]) => {
    const [first = '', ...rest] = indented(meaning, column)
    const head = `  ${name}`
    return textWidth(head) + 2 > column
      ? [head, first, ...rest]
      : [`${head}${' '.repeat(column - textWidth(head))}${first.trimStart()}`.trimEnd(), ...rest]
  })
  return block(title, lines)
}

function indented(text: string, by: number): string[] {
  return wrapText(text, columns() - by).map((line) => `${' '.repeat(by)}${line}`)
}

function block(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${title}:\n${lines.join('\n')}`
}

function join(parts: readonly string[]): string {
  return parts.filter(Boolean).join('\n\n')
}
