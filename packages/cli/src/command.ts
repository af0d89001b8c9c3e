import type { Logger } from 'pino'
import type { InferredOptionTypes, Options } from 'yargs'
import type { CliError, ExitCode } from './errors.ts'
import type { Output } from './output.ts'
import type { Progress } from './progress.ts'
import type { Settings } from './settings/resolve.ts'
import type { SettingGroup } from './settings/table.ts'
import type { Account, Tokens } from './tokens.ts'

/** What a command gets besides its own arguments. */
export interface Context {
  readonly name: string
  readonly version: string
  readonly settings: Settings
  /** Who reads the service. The tokens are opened at the first call, which fails before anything is read. */
  readonly accounts: () => Promise<readonly Account[]>
  /** The token of the only account. */
  readonly tokens: () => Promise<Tokens>
  /** Writes to stderr. */
  readonly log: Logger
  /** Aborted by SIGINT and SIGTERM, with an `Interrupted` as its reason. */
  readonly signal: AbortSignal
  /** Whether `--json` was given. */
  readonly json: boolean
  readonly stdout: Output
  readonly progress: Progress
}

/** An option of a command, in yargs' terms. */
export interface ValuedOptions extends Options {
  /** The values that a list may hold, for completion; the command checks them itself. */
  readonly values?: readonly string[]
}

/** The types of arguments that follow from a command's options. */
export type Arguments<O extends Readonly<Record<string, ValuedOptions>>> = InferredOptionTypes<O>

/** A command as it is written: `run` gets its arguments typed by `options`. */
export interface CommandDefinition<O extends Readonly<Record<string, ValuedOptions>>> {
  /** The command line in yargs' notation: `runs [run]`; `$0` for a program that has this command alone. */
  readonly command: string
  readonly describe: string
  /** Command lines, without the program's name, each with its explanation. */
  readonly examples: readonly (readonly [command: string, what: string])[]
  /** The groups of settings that it uses; `null`: it takes no settings at all, and no config file is read. */
  readonly settings: readonly Exclude<SettingGroup, 'log'>[] | null
  /** `false`: the command works without a token, so none is looked for. */
  readonly takesToken?: boolean
  /** Whether these arguments need no token, so that none is looked for although the command takes one. */
  needsNoToken?(args: Arguments<O>): boolean
  /** Left out of the help: an old name that scripts still use. */
  readonly isHidden?: boolean
  /**
   * `lines`: `--json` prints JSON lines, so that `--json-file` would have no document. `nothing`: neither flag is possible, because stdout carries
   * the messages of a protocol. Default: one document.
   */
  readonly json?: 'lines' | 'nothing'
  /** What the first Ctrl-C prints after "stopping"; `null`: it prints nothing. Default: that finished work is kept. */
  readonly onInterrupt?: string | null
  /** The command's own flags and positional arguments, in yargs' terms. Arguments have these very names. */
  readonly options: O
  /** Checks arguments that depend on each other. @throws UsageError */
  check?(args: Arguments<O>): void
  /** Runs the command. What it throws becomes one line on stderr and an exit code. */
  run(context: Context, args: Arguments<O>): Promise<ExitCode>
  /**
   * Called instead of `run` if a setting is wrong, before the program ends with this error. There is no token. The settings are the
   * app's own keys of the config file, and those of `groups`: of the groups that have no wrong setting. Not called if the config file is wrong.
   */
  refused?(context: Context, args: Arguments<O>, failure: CliError, groups: readonly SettingGroup[]): Promise<void>
}

/** A command without the types of its arguments, so that commands fit into one list. */
export type Command = CommandDefinition<Readonly<Record<string, ValuedOptions>>>

/** What the program's help says about a command. */
export type CommandSummary = Pick<Command, 'command' | 'describe' | 'isHidden'>

/** The commands of a program by name (`$0`: the only one). Each is loaded only when the command line may mean it. */
export type Commands = Readonly<Record<string, () => Command | Promise<Command>>>

/**
 * Defines a command; the types of its arguments follow from its options.
 * @example
 * const greet = defineCommand({
 *   command: 'greet <who>',
 *   describe: 'prints a greeting',
 *   examples: [['greet world', 'the usual one']],
 *   options: { who: { type: 'string', demandOption: true, describe: 'a name' } },
 *   settings: [],
 *   async run({ stdout }, { who }) {
 *     stdout.line(`Hello ${who}`)
 *     return EXIT.ok
 *   },
 * })
 */
export function defineCommand<const O extends Readonly<Record<string, ValuedOptions>>>(
  definition: CommandDefinition<O>,
): Command {
  return definition // its arguments are parsed by these very options
}
