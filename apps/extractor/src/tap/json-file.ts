import { readFile } from 'node:fs/promises'
import { UsageError } from '@collab-etl/cli'

/** A JSON object, of which nothing else is known. */
export type JsonObject = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Reads a file that holds one JSON object.
 * @param what of which the file is, for messages: `catalog`
 * @throws UsageError
 */
export async function readJsonObject(path: string, what: string): Promise<JsonObject> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'
    throw new UsageError(`the ${what} file ${path} cannot be read (${code})`, { cause: error })
  }
  if (text.trim() === '') throw new UsageError(`the ${what} file ${path} is empty`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new UsageError(`the ${what} file ${path} is not valid JSON`, { cause: error })
  }
  if (!isObject(value)) throw new UsageError(`the ${what} file ${path} must hold a JSON object`)
  return value
}
