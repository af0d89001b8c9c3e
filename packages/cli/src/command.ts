import type { Logger } from 'pino'
import type { InferredOptionTypes, Options } from 'yargs'
import type { ExitCode } from './exit.ts'
import type { Output } from './output.ts'
import type { Progress } from './progress.ts'
import type { Settings } from './settings/resolve.ts'
import type { SettingGroup } from './settings/setting.ts'

/** What a command gets besides its own arguments. */
export interface Context {
  /** The program's name and version. */
  readonly name: string
  readonly version: string
  readonly settings: Settings
  /** On stderr. */
  readonly log: Logger
  /** Aborted by SIGINT and SIGTERM, with an `Interrupted` as its reason. */
  readonly signal: AbortSignal
  /** Whether `--json` was given. */
  readonly json: boolean
  readonly stdout: Output
  readonly progress: Progress
}

export interface CommandDefinition<O extends Readonly<Record<string, Options>>> {
  /** As yargs has it: `runs [run]`; `$0` for a program that has this command alone. */
  readonly command: string
  readonly describe: string
  /** Command lines, without the program's name, and what each does. */
  readonly examples: readonly (readonly [command: string, what: string])[]
  /** The command's own flags and positional arguments, as yargs has them; arguments come by these very names. */
  readonly options: O
  /** The groups of settings that it uses. */
  readonly settings: readonly Exclude<SettingGroup, 'log'>[]
  run(context: Context, args: InferredOptionTypes<O>): Promise<ExitCode>
}

/** A command whose own types are sealed, so that commands can stand in one list. */
export interface Command {
  readonly command: string
  readonly describe: string
  readonly examples: readonly (readonly [command: string, what: string])[]
  readonly options: Readonly<Record<string, Options>>
  readonly settings: readonly Exclude<SettingGroup, 'log'>[]
  run(context: Context, args: Record<string, unknown>): Promise<ExitCode>
}

/** The commands of a program by the words that name them (`$0`: the only one); each is loaded when it may be meant. */
export type Commands = Readonly<Record<string, () => Command | Promise<Command>>>

/** Defines a command; the types of its arguments follow from its options. */
export function defineCommand<const O extends Readonly<Record<string, Options>>>(
  definition: CommandDefinition<O>,
): Command {
  return {
    ...definition,
    // The arguments were parsed by these very options.
    run: (context, args) => definition.run(context, args as InferredOptionTypes<O>),
  }
}
