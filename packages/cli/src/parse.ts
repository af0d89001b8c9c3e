import yargs, { type Argv, type Options } from 'yargs'
import type { Command, CommandSummary, Commands } from './command.ts'
import { CliError, describeExitCodes, UsageError } from './errors.ts'
import { isPositional, needsValue, settingOptions } from './options.ts'
import { didYouMean } from './suggest.ts'

export interface ProgramText {
  readonly name: string
  readonly version: string
  /** One line, for the help. */
  readonly summary: string
  readonly commands: Commands
  /** What the help says about commands, by name: it need not load these. */
  readonly summaries?: Readonly<Record<string, CommandSummary>>
  /** Text at the end of the help. */
  readonly epilogue?: string
  /** The config file beats the environment. */
  readonly hasJsonConfig?: boolean
}

/** The order in which settings apply. */
function precedence({ hasJsonConfig }: Pick<ProgramText, 'hasJsonConfig'>): string {
  const [second, third] = hasJsonConfig
    ? ['the config file', 'the environment']
    : ['the environment', 'the config file']
  return `A flag takes precedence over ${second}, and that over ${third}.`
}

/**
 * What the command line asks for: a text to print, or a command to run. A text with an error is the help of a command that
 * was called without the arguments it needs.
 */
export type Parsed =
  | { readonly kind: 'text'; readonly text: string; readonly error?: UsageError }
  | { readonly kind: 'command'; readonly command: Command; readonly args: Record<string, unknown> }

/** Thrown to end the parsing. Otherwise yargs would render the help of the command, which takes longer than all the parsing before. */
class Chosen extends Error {
  readonly parsed: Parsed

  constructor(command: Command, args: Record<string, unknown>) {
    super(command.command)
    this.parsed = { kind: 'command', command, args }
  }
}

/** A command, or what the help says about it. */
type Listed = Command | CommandSummary

/** With these words alone, the command line asks about the program, not about a command. */
const ASKS_FOR_PROGRAM: ReadonlySet<string> = new Set(['--help', '-h', '--version'])

/** Wider lines are hard to read. */
const MAX_COLUMNS = 100

/**
 * Parses a command line.
 * @throws UsageError one line that names the mistake and the help to read
 */
export async function parseCommandLine(program: ProgramText, argv: readonly string[]): Promise<Parsed> {
  const listed = await loadCommands(program, argv)
  const commands = listed.filter((entry) => 'run' in entry)
  let help = ''
  const parser = newParser(program)
  for (const command of listed) {
    if (!('run' in command)) {
      if (command.isHidden !== true) parser.command(command.command, command.describe)
      continue
    }
    // yargs would complete the name of this command, and none of its flags
    if (argv[0] === ASKS_FOR_COMPLETION && command.command === '$0') {
      addFlags(parser, command)
      continue
    }
    addCommand(parser, program.name, command, (given) => {
      const args = withStdin(command, given, argv)
      checkValues(args, command)
      command.check?.(args)
      throw new Chosen(command, args)
    })
  }
  if (!('$0' in program.commands)) parser.demandCommand(1, 'no command was given')
  parser.fail((message: string | null, error: unknown) => {
    throw error instanceof CliError ? error : new UsageError(explain(message, error, argv, commands))
  })
  try {
    await parser.parseAsync([...argv], {}, (_error: unknown, _args: unknown, text: string) => {
      help = text
    })
  } catch (thrown) {
    if (thrown instanceof Chosen) return thrown.parsed
    if (!(thrown instanceof UsageError)) throw thrown
    const error = new UsageError(`${thrown.message} (see ${helpCommand(program, argv)})`)
    if (!isBare(program, argv)) throw error
    const shown = await parseCommandLine(program, [...argv, '--help'])
    return shown.kind === 'text' ? { ...shown, error } : shown
  }
  return { kind: 'text', text: help }
}

function newParser(program: ProgramText): Argv {
  const { name, version, summary, commands, epilogue } = program
  const parser = yargs()
    .scriptName(name)
    .usage(`${summary}\n\nUsage: $0 ${'$0' in commands ? '[flags]' : '<command> [flags]'}`)
    .locale('en')
    .exitProcess(false)
    .strict()
    .parserConfiguration({
      'boolean-negation': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'parse-positional-numbers': false,
    })
    .help('help', 'prints this help')
    .alias('help', 'h')
    .version('version', 'prints the version', version)
    .wrap(Math.min(MAX_COLUMNS, process.stdout.columns ?? MAX_COLUMNS))
    .epilogue(epilogue ?? `${precedence(program)}\n${describeExitCodes()}`)
  // Values and defaults are in each description. yargs' types do not know this method.
  const configurable = parser as Argv & { usageConfiguration(options: { 'hide-types': boolean }): Argv }
  return configurable.usageConfiguration({ 'hide-types': true })
}

/** The argument with which yargs' script calls the program for the words that complete those after it. */
const ASKS_FOR_COMPLETION = '--get-yargs-completions'

/** The script by which a shell completes a program's command line: it calls the program when the Tab key is pressed. */
export async function completionScript(program: string, shell: 'bash' | 'zsh'): Promise<string> {
  // yargs takes the login shell for the one that asks: here for the script, in the script for the words
  process.env['SHELL'] = shell
  let script = ''
  const parser = yargs().scriptName(program).exitProcess(false).completion('completion', false)
  await parser.parseAsync(['completion'], {}, (_error: unknown, _args: unknown, text: string) => {
    script = text
  })
  const [call, made] = [`${program} ${ASKS_FOR_COMPLETION}`, `${program} completion`]
  return script.replaceAll(call, `SHELL=${shell} ${call}`).replaceAll(made, `${made} ${shell}`)
}

/** The commands that the command line names, or all: loading one takes longer than everything else before it runs. */
function loadCommands({ commands, summaries = {} }: ProgramText, argv: readonly string[]): Promise<Listed[]> {
  const all = Object.entries(commands)
  const named = all.filter(([name]) => argv.includes(name))
  const isOfProgram = argv.every((word) => ASKS_FOR_PROGRAM.has(word))
  return Promise.all((named.length > 0 ? named : all).map(([name, load]) => (isOfProgram && summaries[name]) || load()))
}

/** Whether the program, or one of its commands, was called without any argument. */
function isBare({ commands }: ProgramText, argv: readonly string[]): boolean {
  return argv.length === 0 || (argv.length === 1 && Object.hasOwn(commands, argv[0] ?? ''))
}

function addCommand(
  parser: Argv,
  program: string,
  command: Command,
  choose: (args: Record<string, unknown>) => never,
): void {
  parser.command(
    command.command,
    // `false` hides it; yargs' types allow that in another overload only
    (command.isHidden ? false : command.describe) as string,
    (builder) => {
      if (!command.command.startsWith('$0')) {
        builder.usage(`Usage: ${program} ${command.command} [flags]\n\n${command.describe}`)
      }
      for (const [key, option] of Object.entries(command.options)) {
        if (isPositional(command, key)) builder.positional(key, positionalOption(option))
      }
      addFlags(builder, command)
      for (const [line, what] of command.examples) builder.example(`${program} ${line}`.trim(), what)
      return builder
    },
    (args) => choose(args),
  )
}

function addFlags(parser: Argv, command: Command): void {
  for (const [key, option] of Object.entries(command.options)) {
    if (!isPositional(command, key)) parser.option(key, flagOption(key, option))
  }
  for (const [flag, option] of settingOptions(command)) parser.option(flag, option)
}

function positionalOption(option: Options): { describe: string; type: 'string'; choices?: Choices } {
  const { choices } = option
  return { describe: valuesAndMeaning(option), type: 'string', ...(choices !== undefined && { choices }) }
}

/** A flag of the command itself, with its values and its default in the description. */
function flagOption(key: string, option: Options): Options {
  const { default: preset, coerce } = option
  const note = preset === undefined || preset === false ? '' : ` [default: ${preset}]`
  return {
    requiresArg: needsValue(option),
    group: 'Flags:',
    ...option,
    // a list of a flag that was given twice is refused before its own check
    ...(coerce && { coerce: (value: unknown) => coerce(refuseTwice(`--${key}`, value, option)) }),
    describe: `${valuesAndMeaning(option)}${note}`,
  }
}

type Choices = NonNullable<Options['choices']>

function valuesAndMeaning({ choices = [], describe = '' }: Options): string {
  return `${choices.length === 0 ? '' : `${choices.join('|')}  `}${describe}`
}

/** The arguments with `-`, which yargs reads as an empty positional argument. */
function withStdin(command: Command, args: Record<string, unknown>, argv: readonly string[]): Record<string, unknown> {
  if (!argv.includes('-') || argv.includes('')) return args
  const isStdin = ([key, value]: [string, unknown]) => value === '' && isPositional(command, key)
  return Object.fromEntries(Object.entries(args).map((entry) => (isStdin(entry) ? [entry[0], '-'] : entry)))
}

/** Rejects what yargs accepts: empty values, values given twice, and numbers that are not numbers. */
function checkValues(args: Record<string, unknown>, command: Command): void {
  const [extra] = Array.isArray(args['_']) ? args['_'].slice(command.command.startsWith('$0') ? 0 : 1) : []
  if (extra !== undefined) throw new UsageError(`there is one argument too many: ${String(extra)}`)
  for (const [key, value] of Object.entries(args)) {
    if (key === '_' || key === '$0') continue
    const option = command.options[key]
    const name = isPositional(command, key) ? key : `--${key}`
    if (option?.coerce === undefined) refuseTwice(name, value, option)
    if (value === '' || (Array.isArray(value) && value.includes(''))) throw new UsageError(`${name} needs a value`)
    if (Number.isNaN(value)) throw new UsageError(`${name} needs a number`)
  }
}

/** yargs makes a list of the values of a flag that is given more than once. */
function refuseTwice(name: string, value: unknown, option: Options | undefined): unknown {
  if (!Array.isArray(value) || option?.type === 'array' || option?.array === true) return value
  throw new UsageError(`${name} was given ${value.length} times; it takes one value`)
}

/** yargs' message in the words of this program. */
function explain(
  message: string | null,
  error: unknown,
  argv: readonly string[],
  commands: readonly Command[],
): string {
  const text = message ?? (error instanceof Error ? error.message : String(error))
  const unknown = /^Unknown (?:argument|command)s?: (.*)$/.exec(text)?.[1]
  if (unknown !== undefined) return explainUnknown(unknown.split(', '), argv, commands)
  const noValue = /^Not enough arguments following: (.*)$/.exec(text)?.[1]
  if (noValue !== undefined) return `--${noValue} needs a value`
  const missing = /^Missing required arguments?: (.*)$/.exec(text)?.[1]
  if (missing !== undefined)
    return `${missing
      .split(', ')
      .map((name) => `--${name}`)
      .join(' and ')} must be given`
  if (text.startsWith('Not enough non-option arguments')) return 'an argument is missing'
  const [, one, other] = /^Arguments (\S+) and (\S+) are mutually exclusive/.exec(text) ?? []
  if (one !== undefined) return `--${one} and --${other} cannot be combined`
  const choice = /^Invalid values:\s*Argument: ([^,]+), Given: (.*), Choices: (.*)$/s.exec(text)
  if (choice !== null) {
    const [, key = '', given, values = ''] = choice
    const name = commands.some((command) => isPositional(command, key)) ? key : `--${key}`
    return `${name} must be one of ${values.replaceAll('"', '')}, not ${given}`
  }
  return text.replace(/\s*\n\s*/g, ' ')
}

function explainUnknown(unknown: readonly string[], argv: readonly string[], commands: readonly Command[]): string {
  if (unknown.includes('token')) {
    return 'there is no flag for the token, as it would show in the process list: set COLLAB_TOKEN or give --token-file FILE'
  }
  const names = unknown.map((name) => flagOf(name, argv) ?? name)
  const [first = ''] = names
  const isCommand = !first.startsWith('-') && commands.every(({ command }) => !argv.includes(nameOf(command)))
  const known = first.startsWith('-') ? commands.flatMap(flagsOf) : isCommand ? visibleNames(commands) : []
  const what = isCommand ? 'command' : 'argument'
  const hint = names.length === 1 ? didYouMean(first, known) : ''
  return `unknown ${what}${names.length > 1 ? 's' : ''}: ${names.join(', ')}${hint}`
}

/** The flag as it was given; `undefined` for a word that is no flag. */
function flagOf(name: string, argv: readonly string[]): string | undefined {
  return [`--${name}`, `-${name}`].find((flag) => argv.some((word) => word === flag || word.startsWith(`${flag}=`)))
}

function nameOf(command: string): string {
  return command.split(' ')[0] ?? ''
}

function visibleNames(commands: readonly Command[]): string[] {
  return commands.flatMap(({ command, isHidden }) => (isHidden ? [] : [nameOf(command)]))
}

function flagsOf(command: Command): string[] {
  const own = Object.entries(command.options).filter(([key, { hidden }]) => !hidden && !isPositional(command, key))
  return [...own, ...settingOptions(command), ['help'], ['version']].map(([flag]) => `--${flag}`)
}

function helpCommand(program: ProgramText, argv: readonly string[]): string {
  const used = argv.find((word) => Object.hasOwn(program.commands, word))
  return [program.name, used, '--help'].filter(Boolean).join(' ')
}
