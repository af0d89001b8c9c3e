import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Command, type Ran, type RunOptions, run } from '@collab-etl/harness/commands'
import { type Sandbox, type SandboxOptions, startSandbox } from '@collab-etl/sandbox'
import { expect } from 'vitest'
import { databaseText } from './database-text.ts'
import { filesWithSecrets, ProcessList, secretsIn } from './secrets.ts'

/** How a fault ended. */
export type Ending = 'cured' | 'named' | 'refused' | 'survived'

/** Exit codes of runs that report incomplete results: failed, partial, rejected by the service, damage, locked. */
const NAMED: readonly number[] = [1, 3, 4, 5, 11]

/** The fixture of a fault: a directory, unique secrets, and all output of the commands. */
export class Fixture {
  /** Working directory of the commands; empty at first, removed afterwards. */
  readonly path: string
  readonly token = `tok-${randomBytes(18).toString('base64url')}`
  /** Password for a role of the fault. */
  readonly databasePassword = `pw-${randomBytes(18).toString('base64url')}`
  readonly #sandboxes: Sandbox[] = []
  readonly #said: [what: string, text: string][] = []
  readonly #undo = new AsyncDisposableStack()
  #processes: ProcessList | undefined
  #running = 0

  private constructor(path: string) {
    this.path = path
  }

  static async create(): Promise<Fixture> {
    return new Fixture(await mkdtemp(join(tmpdir(), 'collab-fault-')))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#sandboxes.map((sandbox) => sandbox.close()))
    await this.#undo.disposeAsync()
    await rm(this.path, { recursive: true, force: true })
  }

  /** Starts a service with this fixture's token, stopped after the fault. */
  async startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
    const sandbox = await startSandbox({ token: this.token, ...options })
    this.#sandboxes.push(sandbox)
    return sandbox
  }

  /** Registers a clean-up that runs after the search for secrets. */
  defer(undo: () => Promise<void>): void {
    this.#undo.defer(undo)
  }

  /** Runs a command with log level `trace`, and keeps its output. */
  async run(command: Command, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    // one for all commands that run at once: each look takes time
    this.#processes ??= new ProcessList(this.#secrets)
    this.#running += 1
    try {
      const ran = await run(command, args, {
        cwd: this.path,
        ...options,
        env: { COLLAB_TOKEN: this.token, COLLAB_LOG_LEVEL: 'trace', ...options.env },
      })
      this.#processes.look()
      this.alsoLookAt(`stdout of ${command}`, ran.stdout)
      this.alsoLookAt(`stderr of ${command}`, ran.stderr)
      return ran
    } finally {
      this.#running -= 1
      if (this.#running === 0) this.#leaveProcesses()
    }
  }

  /** Adds a text that must not contain a secret. */
  alsoLookAt(what: string, text: string): void {
    this.#said.push([what, text])
  }

  /** Adds every row of a Postgres database. */
  async lookAtDatabase(url: string): Promise<void> {
    this.alsoLookAt('the database', await databaseText(url))
  }

  /** Expects success: the result is complete in spite of the fault. */
  cured(ran: Ran): Ending {
    expect(ran.code, lastLines(ran)).toBe(0)
    return this.#ended('cured', ran)
  }

  /** Expects that the command reports what is incomplete. */
  named(ran: Ran, code?: number): Ending {
    expect(code === undefined ? NAMED : [code], lastLines(ran)).toContain(ran.code)
    const said = [...plainLines(ran.stderr), ...plainLines(ran.stdout), ...namedInDocument(ran.stdout)]
    expect(said, 'it says nothing').not.toEqual([])
    return this.#ended('named', ran)
  }

  /** Expects that the command was rejected before it began. */
  refused(ran: Ran): Ending {
    expect(ran.code, lastLines(ran)).toBe(2)
    expect(plainLines(ran.stderr), 'one line says why').toHaveLength(1)
    return this.#ended('refused', ran)
  }

  /** Expects that a signal ended the command. */
  survived(ran: Ran): Ending {
    expect(ran.signal !== null || ran.code === 130 || ran.code === 143, lastLines(ran)).toBe(true)
    return this.#ended('survived', ran)
  }

  /** Fails if an output or a file contains a secret. */
  async expectNoSecrets(): Promise<void> {
    const places = this.#said.filter(([, text]) => secretsIn(text, this.#secrets)).map(([what]) => what)
    expect([...places, ...(await filesWithSecrets(this.path, this.#secrets))], 'places that hold a secret').toEqual([])
  }

  #leaveProcesses(): void {
    this.#processes?.[Symbol.dispose]()
    this.alsoLookAt('the process list', this.#processes?.found.join('\n') ?? '')
    this.#processes = undefined
  }

  get #secrets(): readonly string[] {
    return [this.token, this.databasePassword]
  }

  #ended(how: Ending, ran: Ran): Ending {
    const traces = plainLines(ran.stderr).filter((line) => /^\s+at /.test(line))
    expect(traces, 'no stack trace').toEqual([])
    return how
  }
}

/** Lines other than the JSON log. */
function plainLines(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('{'))
}

/** The failures in a `--json` document. */
function namedInDocument(stdout: string): unknown[] {
  if (!stdout.startsWith('{')) return []
  const { scopes = [], not_whole, not_restored = [], unknown = [], differences = [], error } = JSON.parse(stdout)
  const notWhole = not_whole ?? scopes.filter(({ status }: { status: string }) => status !== 'complete')
  return [...notWhole, ...not_restored, ...unknown, ...differences, ...(error ? [error] : [])]
}

function lastLines({ stderr }: Ran): string {
  return `it said: ${stderr.slice(-2000)}`
}
