import yargs, { type Argv, type Options } from 'yargs'
import type { Command, CommandSummary, Commands, ValuedOptions } from './command.ts'
import { CliError, UsageError } from './errors.ts'
import { commandHelp, type HelpText, type Listed, nameOf, programHelp, usageOf } from './help.ts'
import { isPositional, needsValue, settingOptions } from './options.ts'
import { didYouMean } from './suggest.ts'

export interface ProgramText extends HelpText {
  readonly version: string
  readonly commands: Commands
  /** What the help says about commands, by name: it need not load these. */
  readonly summaries?: Readonly<Record<string, CommandSummary>>
}

/** What the command line asks for: a text to print, or a command to run. */
export type Parsed =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'command'; readonly command: Command; readonly args: Record<string, unknown> }

/** Thrown to end the parsing. Otherwise yargs would render the help of the command, which takes longer than all the parsing before. */
class Chosen extends Error {
  readonly parsed: Parsed

  constructor(command: Command, args: Record<string, unknown>) {
    super(command.command)
    this.parsed = { kind: 'command', command, args }
  }
}

/**
 * Parses a command line.
 * @throws UsageError one line that names the mistake and the help to read
 */
export async function parseCommandLine(program: ProgramText, argv: readonly string[]): Promise<Parsed> {
  if (argv[0] === ASKS_FOR_COMPLETION) {
    // zsh passes --flag=value as one word, and expects such words back
    const [assigned, flag = ''] = /^(--[^=]+)=/.exec(argv.at(-1) ?? '') ?? []
    if (assigned !== undefined) {
      const words = [...argv.slice(0, -1), flag, argv.at(-1)?.slice(assigned.length) ?? '']
      const parsed = await parseCommandLine(program, words)
      return parsed.kind === 'text' ? { ...parsed, text: parsed.text.replace(/^(?=.)/gm, assigned) } : parsed
    }
  }
  const text = await textFor(program, argv)
  if (text !== undefined) return { kind: 'text', text }
  const commands = await loadCommands(program, argv)
  let words = ''
  const parser = newParser(program)
  for (const command of commands) {
    // yargs would complete the name of this command, and none of its flags
    if (argv[0] === ASKS_FOR_COMPLETION && command.command === '$0') {
      addFlags(parser, command, argv)
      continue
    }
    addCommand(parser, command, argv, (given) => {
      const args = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, asGiven(value)]))
      checkValues(args, command)
      command.check?.(args)
      throw new Chosen(command, args)
    })
  }
  if (!('$0' in program.commands)) parser.demandCommand(1, NO_COMMAND)
  parser.fail((message: string | null, error: unknown) => {
    throw error instanceof CliError ? error : new UsageError(explain(message, error, program, argv, commands))
  })
  try {
    await parser.parseAsync(markedWords(argv), {}, (_error: unknown, _args: unknown, completions: string) => {
      words = completions
    })
  } catch (thrown) {
    if (thrown instanceof Chosen) return thrown.parsed
    if (!(thrown instanceof UsageError)) throw thrown
    throw new UsageError(`${thrown.message} (see ${helpCommand(program, argv)})`, hintFor(program, argv, commands))
  }
  return { kind: 'text', text: words }
}

/** The help or the version, if the command line asks for one. */
async function textFor(program: ProgramText, argv: readonly string[]): Promise<string | undefined> {
  const end = argv.indexOf('--')
  const words = end === -1 ? argv : argv.slice(0, end)
  const [first, topic] = words
  const asksForHelp = first === 'help' || words.includes('--help') || words.includes('-h')
  if (!asksForHelp) return words.includes('--version') ? program.version : undefined
  const name = first === 'help' ? topic : usedCommand(program, words)
  if (name !== undefined && !name.startsWith('-')) {
    const load = Object.hasOwn(program.commands, name) ? program.commands[name] : undefined
    if (load !== undefined) return commandHelp(program.name, await load())
    const known = Object.keys(program.commands)
    throw new UsageError(`unknown command: ${name}${didYouMean(name, known)} (see ${program.name} --help)`)
  }
  const { commands, summaries = {} } = program
  const listed = Object.entries(commands).map(
    ([command, load]): Listed | Promise<Listed> => summaries[command] ?? load(),
  )
  return programHelp(program, await Promise.all(listed))
}

/** For a program, or one of its commands, that was called without any argument: how to call it. */
function hintFor(
  program: ProgramText,
  argv: readonly string[],
  commands: readonly Command[],
): { readonly hint?: string } {
  const [name, ...more] = argv
  if (more.length > 0 || (name !== undefined && !Object.hasOwn(program.commands, name))) return {}
  const command = commands.find((entry) => nameOf(entry) === (name ?? '$0'))
  const [example] = command?.examples ?? []
  const further = example
    ? `Example: ${program.name} ${example[0]}`
    : `${program.name} help lists the commands, ${program.name} help COMMAND the flags of one.`
  return { hint: `${usageOf(program.name, command)}\n${further}` }
}

const NO_COMMAND = 'no command was given'

/** Begins a word that yargs must take for an argument, although it looks like a flag. No argument of a program can hold it. */
const MARK = '\0'

/**
 * The words for yargs, which takes those after `--` for flags as well, `-` for an empty word, and SQL that begins with a comment for a
 * flag: such words are marked.
 */
function markedWords(argv: readonly string[]): string[] {
  const end = argv.indexOf('--')
  return argv.flatMap((word, index) => {
    if (index === end) return []
    const isArgument = word === '-' || /^--[^=\s]*\s/.test(word) || (end !== -1 && index > end)
    return [isArgument ? `${MARK}${word}` : word]
  })
}

/** The value as it was before it was marked. */
function asGiven(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asGiven)
  return typeof value === 'string' && value.startsWith(MARK) ? value.slice(MARK.length) : value
}

function newParser({ name }: ProgramText): Argv {
  return yargs()
    .scriptName(name)
    .locale('en')
    .exitProcess(false)
    .strict()
    .parserConfiguration({
      'boolean-negation': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'parse-positional-numbers': false,
    })
    .help(false)
    .version(false)
}

/** The argument with which yargs' script calls the program for the words that complete those after it. */
const ASKS_FOR_COMPLETION = '--get-yargs-completions'

const BASH_WORDS = `args=("\${COMP_WORDS[@]}")`

/** bash splits --flag=value into three words, one of which is the =. */
const BASH_WORDS_WITHOUT_EQUALS = `args=()
    local word
    for word in "\${COMP_WORDS[@]}"; do [[ $word == = ]] || args+=("$word"); done
    [[ $cur_word != = ]] || { cur_word=""; args+=(""); }`

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
  return script
    .replaceAll(call, `SHELL=${shell} ${call}`)
    .replaceAll(made, `${made} ${shell}`)
    .replace(BASH_WORDS, BASH_WORDS_WITHOUT_EQUALS)
}

/** The commands that the command line names, or all: loading one takes longer than everything else before it runs. */
function loadCommands({ commands }: ProgramText, argv: readonly string[]): Promise<Command[]> {
  const all = Object.entries(commands)
  const named = all.filter(([name]) => argv.includes(name))
  return Promise.all((named.length > 0 ? named : all).map(([, load]) => load()))
}

function addCommand(
  parser: Argv,
  command: Command,
  argv: readonly string[],
  choose: (args: Record<string, unknown>) => never,
): void {
  parser.command(
    command.command,
    // `false` hides it; yargs' types allow that in another overload only
    (command.isHidden ? false : command.describe) as string,
    (builder) => {
      for (const [key, { choices, describe }] of Object.entries(command.options)) {
        if (!isPositional(command, key)) continue
        builder.positional(key, { type: 'string', ...(describe && { describe }), ...(choices && { choices }) })
      }
      addFlags(builder, command, argv)
      return builder
    },
    (args) => choose(args),
  )
}

function addFlags(parser: Argv, command: Command, argv: readonly string[]): void {
  const own = Object.entries(command.options).filter(([key]) => !isPositional(command, key))
  for (const [key, option] of [...own.map(flagOption), ...settingOptions(command)]) {
    parser.option(key, argv[0] === ASKS_FOR_COMPLETION ? completable(option, argv.at(-1) ?? '') : option)
  }
  if (argv[0] === ASKS_FOR_COMPLETION) for (const flag of ['help', 'version']) parser.option(flag, { type: 'boolean' })
}

function flagOption([key, option]: [string, ValuedOptions]): [string, ValuedOptions] {
  const { coerce } = option
  const flag = {
    requiresArg: needsValue(option),
    ...option,
    // a list of a flag that was given twice is refused before its own check
    ...(coerce && { coerce: (value: unknown) => coerce(refuseTwice(`--${key}`, value, option)) }),
  }
  return [key, flag]
}

/** For completion, the option without its check, and with the values of its list as choices: after those before the last comma. */
function completable({ values, coerce: _check, ...option }: ValuedOptions, word: string): Options {
  if (values === undefined) return option
  const before = word.slice(0, word.lastIndexOf(',') + 1)
  const given = before.split(',')
  return { ...option, choices: values.filter((value) => !given.includes(value)).map((value) => `${before}${value}`) }
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
  program: ProgramText,
  argv: readonly string[],
  commands: readonly Command[],
): string {
  const text = (message ?? (error instanceof Error ? error.message : String(error))).replaceAll(MARK, '')
  const [first] = argv
  if (text === NO_COMMAND && first?.startsWith('-'))
    return explainUnknown([first.split('=')[0] ?? first], argv, commands)
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
  const got = /^Not enough non-option arguments: got (\d+)/.exec(text)?.[1]
  if (got !== undefined) {
    const command = commands.find((entry) => nameOf(entry) === (usedCommand(program, argv) ?? '$0'))
    const lacking = command?.command.match(/<[^>]+>/g)?.slice(Number(got)) ?? []
    return `${lacking.length > 1 ? 'arguments are' : 'an argument is'} missing: ${lacking.join(' and ')}`
  }
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
  const isCommand = !first.startsWith('-') && commands.every((command) => !argv.includes(nameOf(command)))
  if (!isCommand && names.every((name) => !name.startsWith('-'))) {
    return `${names.length > 1 ? 'these arguments are' : 'there is one argument'} too many: ${names.join(', ')}`
  }
  const known = first.startsWith('-') ? commands.flatMap(flagsOf) : isCommand ? visibleNames(commands) : []
  const what = isCommand ? 'command' : 'argument'
  const hint = names.length === 1 ? didYouMean(first, known) : ''
  return `unknown ${what}${names.length > 1 ? 's' : ''}: ${names.join(', ')}${hint}`
}

/** The flag as it was given; `undefined` for a word that is no flag. */
function flagOf(name: string, argv: readonly string[]): string | undefined {
  return [`--${name}`, `-${name}`].find((flag) => argv.some((word) => word === flag || word.startsWith(`${flag}=`)))
}

function visibleNames(commands: readonly Command[]): string[] {
  return commands.flatMap((command) => (command.isHidden ? [] : [nameOf(command)]))
}

function flagsOf(command: Command): string[] {
  const own = Object.entries(command.options).filter(([key, { hidden }]) => !hidden && !isPositional(command, key))
  return [...own, ...settingOptions(command), ['help'], ['version']].map(([flag]) => `--${flag}`)
}

function helpCommand(program: ProgramText, argv: readonly string[]): string {
  return [program.name, usedCommand(program, argv), '--help'].filter(Boolean).join(' ')
}

/** The first word that names a command. */
function usedCommand({ commands }: ProgramText, words: readonly string[]): string | undefined {
  return words.find((word) => Object.hasOwn(commands, word))
}
