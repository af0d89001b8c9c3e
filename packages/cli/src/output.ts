import { writeFileSync } from 'node:fs'
import { styleText } from 'node:util'
import { CliError } from './errors.ts'
import { wrapLines } from './text.ts'

/** Where a command's results go: stdout. */
export interface Output {
  /** Text for a person; nothing where `--json` asked for one document alone. */
  line(text?: string): void
  /** The one document of `--json` and `--json-file`; nothing without them. */
  document(value: unknown): void
  /** Whether there is `--json` or `--json-file`: for documents that take time to make. */
  readonly wantsDocument: boolean
  /** JSON lines, for commands whose `--json` is not one document; resolves once more may be written. */
  jsonLines(values: readonly unknown[]): Promise<void>
  /** Text as it is, e.g. CSV; resolves once more may be written. Bytes are text in UTF-8. */
  write(text: string | Uint8Array): Promise<void>
  /** In bold, where the terminal shows it and NO_COLOR is not set. */
  bold(text: string): string
  readonly isTerminal: boolean
  /** Nothing can be written any more: the reader went away, or the disk is full. */
  readonly isClosed: boolean
  /** Width of the terminal; `undefined` where there is none. */
  readonly columns: number | undefined
}

export interface FlushableOutput extends Output {
  readonly documentWritten: boolean
  /** @throws CliError when something could not be written, other than to a reader that went away */
  flush(): Promise<void>
}

/** The first failure of each stream: a program may run again in a process, with the same streams. */
const failures = new WeakMap<NodeJS.WriteStream, { failure?: NodeJS.ErrnoException }>()

function failureOf(stream: NodeJS.WriteStream): { readonly failure?: NodeJS.ErrnoException } {
  const known = failures.get(stream)
  if (known) return known
  const state: { failure?: NodeJS.ErrnoException } = {}
  failures.set(stream, state)
  // Without a listener, a reader that went away (`… | head`) would end the process with a stack.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    state.failure ??= error
  })
  return state
}

interface OutputOptions {
  readonly json: boolean
  /** The file of `--json-file`. */
  readonly jsonFile?: string | undefined
  /** Removes what is drawn on the same screen. */
  readonly beforeWrite: () => void
}

export function createOutput(
  stream: NodeJS.WriteStream,
  { json, jsonFile, beforeWrite }: OutputOptions,
): FlushableOutput {
  const state = failureOf(stream)
  let fileFailure: unknown
  let documentWritten = false

  function write(text: string | Uint8Array): Promise<void> {
    if (state.failure) return Promise.resolve()
    beforeWrite()
    return new Promise((resolve) => {
      stream.write(text, () => resolve())
    })
  }

  return {
    line(text = '') {
      if (!json) void write(`${stream.isTTY && stream.columns > 0 ? wrapLines(text, stream.columns) : text}\n`)
    },
    document(value) {
      if (documentWritten) return
      documentWritten = true
      const text = `${harmlessJson(value)}\n`
      if (json) void write(text)
      if (jsonFile === undefined) return
      try {
        writeFileSync(jsonFile, text, { mode: 0o600 })
      } catch (error) {
        fileFailure = error
      }
    },
    wantsDocument: json || jsonFile !== undefined,
    jsonLines: (values) => write(values.map((value) => `${harmlessJson(value)}\n`).join('')),
    write,
    bold: (text) => styleText('bold', text, { stream }),
    isTerminal: stream.isTTY === true,
    get isClosed() {
      return state.failure !== undefined
    },
    columns: stream.isTTY ? stream.columns : undefined,
    get documentWritten() {
      return documentWritten
    },
    async flush() {
      await write('')
      if (fileFailure !== undefined) {
        const { code } = fileFailure as NodeJS.ErrnoException // of a function of node:fs
        throw new CliError(`--json-file ${jsonFile} cannot be written (${code})`, {
          code: 'OUTPUT',
          cause: fileFailure,
        })
      }
      const { failure } = state
      if (failure && failure.code !== 'EPIPE') {
        throw new CliError(`the results could not be written to stdout (${failure.code})`, {
          code: 'OUTPUT',
          cause: failure,
        })
      }
    },
  }
}

/** JSON escapes most of what controls a terminal, and may escape the rest: the value stays the same. */
function harmlessJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f]|\p{Bidi_Control}/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
