import { CliError, defineCommand, EXIT, type Program, packageVersion, UsageError } from '@collab-etl/cli'
import type { SandboxOptions } from '../options.ts'
import { type Sandbox, startSandbox } from '../sandbox.ts'
import { StateFileError } from '../store/file.ts'
import { quirkLines, SANDBOX_FLAGS, sandboxOptions } from './flags.ts'

const serve = defineCommand({
  command: '$0',
  describe: 'serves sample data until it is interrupted',
  examples: [
    ['--port 0 --seed 7', 'other data, on a free port'],
    ['--tasks 20000 --fault-rate 0.02 --page-cap 37', 'a large, unreliable service with short pages'],
  ],
  options: SANDBOX_FLAGS,
  settings: null,
  onInterrupt: null,
  check: (args) => void sandboxOptions(args, process.env),
  async run({ signal, stdout }, args) {
    const sandbox = await start(sandboxOptions(args, process.env))
    const { baseUrl, token, pids } = sandbox
    try {
      const accounts = args.accounts === undefined ? undefined : accountsOf(sandbox, args.accounts)
      await stdout.write(`${JSON.stringify({ base_url: baseUrl, token, pids, accounts })}\n`)
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
    } finally {
      await sandbox.close()
    }
    return EXIT.ok
  },
})

/** As many users with tokens, and what each can read. */
function accountsOf({ accounts, store, token }: Sandbox, count: number) {
  try {
    const added = Array.from({ length: count - 1 }, () => accounts.add())
    const all = [{ uid: store.caller.uid, token }, ...added]
    return all.map((account) => ({ ...account, pids: store.as(account.uid).readablePids() }))
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(`--accounts: ${error.message}`) : error
  }
}

async function start(options: SandboxOptions): Promise<Sandbox> {
  try {
    return await startSandbox(options)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    throw new CliError(
      `port ${options.port} on 127.0.0.1 is taken; choose another with --port, or --port 0 for a free one`,
      { cause: error },
    )
  }
}

/** The program `collab-sandbox`. */
export const PROGRAM: Program = {
  name: 'collab-sandbox',
  version: packageVersion(new URL('../../package.json', import.meta.url)),
  summary: 'Serves all 23 operations of the service on loopback, with sample data.',
  commands: { $0: () => serve },
  epilogue: `Quirks:\n${quirkLines()}\n\nThe first line of stdout is {"base_url","token","pids"}, with --accounts also "accounts". Press Ctrl-C to stop.`,
  mapError: (error) => (error instanceof StateFileError ? new UsageError(error.message, { cause: error }) : undefined),
}
