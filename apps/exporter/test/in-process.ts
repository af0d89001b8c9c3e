import { CliError, type Command, type Context } from '@collab-etl/cli'

/** What a command said, and its exit code. */
export interface Said {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** The one document of `--json`. */
  readonly document: Readonly<Record<string, unknown>>
}

/** Runs a command that needs no settings, in this process: its options have their defaults where none are given. */
export async function inProcess(command: Command, args: Readonly<Record<string, unknown>>): Promise<Said> {
  const lines: string[] = []
  const warnings: string[] = []
  let document: Readonly<Record<string, unknown>> = {}
  const context = {
    name: 'collab-export',
    version: '0',
    json: false,
    signal: new AbortController().signal,
    log: { warn: (_fields: object, text: string) => void warnings.push(text), info: () => {} },
    stdout: {
      line: (text = '') => void lines.push(`${text}\n`),
      document: (value: Readonly<Record<string, unknown>>) => {
        document = value
      },
      write: async () => {},
      bold: (text: string) => text,
      isTerminal: false,
      columns: undefined,
    },
    progress: { line: () => ({ update() {}, end() {} }) },
  } as unknown as Context // commands without settings use no more of it than this
  const defaults = Object.fromEntries(
    Object.entries(command.options).flatMap(([name, option]) =>
      option['default'] === undefined ? [] : [[name, option['default']]],
    ),
  )
  try {
    const code = await command.run(context, { ...defaults, ...args })
    return { code, stdout: lines.join(''), stderr: warnings.join('\n'), document }
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    return { code: error.exitCode, stdout: lines.join(''), stderr: error.message, document }
  }
}
