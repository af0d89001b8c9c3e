import { resolve } from 'node:path'

/** A program and its arguments. It is run without a shell. */
export type ProgramLine = readonly [program: string, ...args: string[]]

/**
 * A program that the config file names, with its arguments. A program with a slash in its name is relative to the file.
 * @param example for the error
 * @throws Error whose message continues the name of the key
 */
export function parseProgramLine(value: unknown, directory: string, example: string): ProgramLine {
  const parts: readonly unknown[] = Array.isArray(value) ? value : []
  const [program, ...args] = parts.map((part) => (typeof part === 'number' ? String(part) : part))
  const isText = (part: unknown): part is string => typeof part === 'string' && !part.includes('\0')
  if (!isText(program) || program === '' || !args.every(isText)) {
    throw new Error(`must be a program and its arguments, such as ${example}`)
  }
  return [program.includes('/') ? resolve(directory, program) : program, ...args]
}
