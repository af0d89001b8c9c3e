import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '@collab-etl/cli'
import { runProgram, type Shown } from './run-program.ts'
import { type Done, type StepCommand, statusOf } from './steps.ts'

/** A step that was run. */
export interface RanStep extends Done {
  /** The end of its output, if it was not shown. */
  readonly printed: string
  /** Its error in one line; `null`: it reported none. */
  readonly error: string | null
}

export interface StepOptions {
  readonly env: Readonly<Record<string, string>>
  readonly show: Shown
  /** A directory in which the command runs without the settings of this process. */
  readonly apart?: string
  /** A directory of this process for the command's document; `null`: there is none, and so no document. */
  readonly directory: string | null
  /** Ends the command. */
  readonly signal: AbortSignal
}

/** Runs the command of a step to its end. @throws the reason of the signal, such as Interrupted */
export async function runStep(
  { settings }: Pick<Context, 'settings'>,
  name: string,
  { program, args }: StepCommand,
  { env, show, directory, apart, signal }: StepOptions,
): Promise<RanStep> {
  const file = directory === null ? null : join(directory, `${name}.json`)
  // that of an earlier attempt would be taken for this one's, if the command is killed
  if (file !== null) await rm(file, { force: true })
  const config = settings.configFile === undefined || apart !== undefined ? [] : ['--config', settings.configFile]
  const { exitCode, printed } = await runProgram(
    program,
    [...args, ...config, ...(file === null ? [] : ['--json-file', file])],
    {
      env,
      signal,
      show,
      apart,
    },
  )
  const document = file === null ? null : await readDocument(file)
  const error = document?.['error']
  const message = typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : null
  return { status: statusOf(exitCode), exitCode, document, printed, error: message }
}

async function readDocument(file: string): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) // the document of our own command
  } catch {
    return null // it was killed before it wrote one
  }
}
