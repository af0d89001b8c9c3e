import { readFileSync } from 'node:fs'
import type { CommandSummary, Commands, Context } from './command.ts'
import { withCompletion } from './completion.ts'
import { type CliError, EXIT, type ExitCode, type Interrupted, type MapError, toFailure, UsageError } from './errors.ts'
import { createLog } from './log.ts'
import { createOutput, type FlushableOutput } from './output.ts'
import { parseCommandLine } from './parse.ts'
import { createProgress, type ProgressDisplay } from './progress.ts'
import { guardProcess, guardStream, Secret } from './secret.ts'
import { forgetSecrets } from './settings/environment.ts'
import { misspeltWarnings } from './settings/misspelt.ts'
import type { FileKeys } from './settings/parse-config.ts'
import { resolveSettings, type SettingSources, type Settings } from './settings/resolve.ts'
import type { SettingGroup } from './settings/table.ts'
import { watchSignals } from './signals.ts'
import { isOwnChild } from './start.ts'
import { plainText } from './text.ts'
import { accountsOf, type OpenTokens, onlyTokens } from './tokens.ts'

/** A command line program: its name, its commands, and how errors of other packages become its own. */
export interface Program {
  readonly name: string
  readonly version: string
  /** One line, for the help. */
  readonly summary: string
  readonly commands: Commands
  /** What the program's help says about its commands, by name. With it, the help loads no command but those that are missing here. */
  readonly summaries?: Readonly<Record<string, CommandSummary>>
  /** Text at the end of the help. Default: the order in which settings apply, and the exit codes. */
  readonly epilogue?: string
  /** Keys of the config file that belong to the app. */
  readonly fileKeys?: FileKeys
  /** `--config` names a file of JSON, which beats the environment; there is no other config file. */
  readonly hasJsonConfig?: boolean
  /** Gives errors of other packages their message and exit code. */
  readonly mapError?: MapError
  /** Opens a token file that can be refreshed, and a token command; left out: the program itself does not use the service. */
  readonly openTokens?: OpenTokens
  /** The command line; default: that of the process. */
  readonly argv?: readonly string[]
}

/**
 * The version of a package.
 * @param manifest URL of its `package.json`
 */
export function packageVersion(manifest: URL): string {
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version // our own package.json
}

/**
 * Runs a program to its end: parses the command line, reads the settings and runs the command. An error becomes one line on
 * stderr and an exit code. With `--json`, a failure is a document on stdout as well:
 * `{"error":{"code","message","exit_code"}}`.
 */
export async function runCli(program: Program): Promise<void> {
  guardProcess()
  const argv = program.argv ?? process.argv.slice(2)
  const screen = new Screen(program.name, argv)
  using signals = watchSignals(
    (interruption) => screen.noteSignal(interruption),
    () => screen.progress.stop(),
  )
  const end = async (error: unknown) => screen.fail(toFailure(error, program.mapError, signals.signal))
  const crash = (error: unknown) => void end(error).then((code) => process.exit(code))
  process.on('uncaughtException', crash)
  try {
    process.exitCode = await runCommand(program, argv, screen, signals.signal)
    await screen.stdout.flush()
  } catch (error) {
    process.exitCode = await end(error)
  } finally {
    screen.progress.stop()
    process.off('uncaughtException', crash)
  }
}

async function runCommand(
  program: Program,
  argv: readonly string[],
  screen: Screen,
  signal: AbortSignal,
): Promise<ExitCode> {
  const parsed = await parseCommandLine({ ...program, commands: withCompletion(program) }, argv)
  if (parsed.kind === 'text') {
    await screen.stdout.write(`${parsed.text}\n`)
    return EXIT.ok
  }
  const { command, args } = parsed
  screen.onInterrupt = command.onInterrupt
  const sources: SettingSources = {
    flags: Object.fromEntries(
      Object.entries(args).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    ),
    env: { ...process.env },
    directory: process.cwd(),
    groups: command.settings,
    ...(program.fileKeys && { fileKeys: program.fileKeys }),
    ...(program.hasJsonConfig && { hasJsonConfig: true }),
    ...((command.takesToken === false || command.needsNoToken?.(args) === true) && { skipsToken: true }),
  }
  forgetSecrets(process.env)
  const contextOf = (settings: Settings): Context => {
    const { name, version } = program
    const { json, stdout, progress } = screen
    const log = screen.openLog(settings)
    const onSecret = (text: string) => screen.hide(new Secret(text))
    const onWarning = (text: string) => log.warn(text)
    const accounts = accountsOf(settings, program.openTokens, { signal, onSecret, onWarning })
    const tokens = () => onlyTokens(accounts)
    return { name, version, settings, accounts, tokens, log, signal, json, stdout, progress }
  }
  const settings = await settingsOf(sources, async (rest, failure, groups) => {
    await command.refused?.(contextOf(rest), args, failure, groups)
  })
  const context = contextOf(settings)
  const misspelt = command.settings === null || isOwnChild() ? [] : misspeltWarnings(sources.env)
  for (const warning of [...settings.warnings, ...misspelt]) context.log.warn(warning)
  return await command.run(context, args)
}

/** Reads the settings. If one is wrong but the config file is not, `refused` gets the others before the error is thrown. */
async function settingsOf(
  sources: SettingSources,
  refused: (rest: Settings, failure: CliError, groups: readonly SettingGroup[]) => Promise<void>,
): Promise<Settings> {
  const { groups } = sources
  try {
    return await resolveSettings(sources)
  } catch (error) {
    if (!(error instanceof UsageError) || groups === null) throw error
    // A wrong token, which is the usual case, says nothing against the other settings. A report needs authorities and proxies, unless it
    // is one of them that is wrong.
    const rests: [readonly SettingGroup[], boolean][] = [
      [groups, true],
      [groups.filter((group) => group !== 'service'), true],
      [[], true],
      [[], false],
    ]
    for (const [rest, delivers] of rests) {
      const of = { ...sources, groups: rest, skipsToken: true, delivers }
      const settings = await resolveSettings(of).catch(() => null)
      if (settings === null) continue
      await refused(settings, error, rest)
      break
    }
    throw error
  }
}

/** The value of `--json-file`; of a wrong command line, which has no values, the error is written there as well. */
function jsonFileIn(argv: readonly string[]): string | undefined {
  const at = argv.findIndex((word) => word === '--json-file' || word.startsWith('--json-file='))
  const [word, next] = at === -1 ? [] : argv.slice(at)
  return (word === '--json-file' ? next : word?.slice('--json-file='.length)) || undefined
}

/** What the first signal prints where the command has no text of its own. */
const KEPT = 'finished work is kept'

/** Both output streams and the progress between them. */
class Screen {
  readonly stdout: FlushableOutput
  readonly progress: ProgressDisplay
  readonly json: boolean
  /** The command's answer to the first signal; see `Command`. */
  onInterrupt: string | null | undefined
  readonly #name: string
  readonly #errors: FlushableOutput
  /** Grows when a token is replaced. */
  readonly #secrets: Secret[] = []
  #log: Context['log'] | undefined

  constructor(name: string, argv: readonly string[]) {
    this.#name = name
    // Read from the bare words, as the errors of a wrong command line must be JSON as well.
    this.json = argv.some((word) => word === '--json' || word === '--json=true')
    const drawn = process.stderr.isTTY && process.env['TERM'] !== 'dumb' && !this.json
    this.progress = createProgress(drawn ? process.stderr : null)
    const beforeWrite = () => this.progress.clear()
    this.stdout = createOutput(process.stdout, { json: this.json, jsonFile: jsonFileIn(argv), beforeWrite })
    this.#errors = createOutput(process.stderr, { json: false, beforeWrite })
  }

  openLog(settings: Settings): Context['log'] {
    const terminal = process.stderr.isTTY === true
    const { token, databaseUrl, proxy } = settings
    for (const secret of [token, databaseUrl, proxy?.https, proxy?.http]) if (secret !== undefined) this.hide(secret)
    this.#log = createLog({
      level: settings.logLevel,
      format: settings.logFormat ?? (terminal ? 'pretty' : 'json'),
      colour: terminal && process.stderr.hasColors(),
      secrets: this.#secrets,
      write: (line) => void this.#errors.write(line),
    })
    return this.#log
  }

  /** Takes a secret out of everything that is written from now on. */
  hide(secret: Secret): void {
    this.#secrets.push(secret)
    guardStream(process.stderr, [secret])
  }

  /** Confirms the first signal to the user, at every log level. */
  noteSignal({ signal }: Interrupted): void {
    if (this.onInterrupt === null) return
    const again = signal === 'SIGINT' ? '. Ctrl-C again stops at once' : ''
    void this.#errors.write(`${this.#name}: ${signal} received: stopping; ${this.onInterrupt ?? KEPT}${again}\n`)
  }

  /** Reports a failure and returns its exit code. */
  async fail(failure: CliError): Promise<ExitCode> {
    this.progress.stop()
    const { cause } = failure
    if (cause instanceof Error) this.#log?.debug({ stack: cause.stack }, 'the failure in full')
    const message = plainText(this.#scrub(failure.message))
    this.stdout.document({ error: { code: failure.code, message, exit_code: failure.exitCode } })
    const hint = failure instanceof UsageError && failure.hint !== undefined ? `${failure.hint}\n` : ''
    await this.#errors.write(`${this.#name}: ${message}\n${hint}`)
    await this.stdout.flush().catch(() => {}) // already failing; the first failure is the one to report
    return failure.exitCode
  }

  #scrub(text: string): string {
    return this.#secrets.reduce((clean, secret) => secret.scrub(clean), text)
  }
}
