import type { Stats } from 'node:fs'
import { relative, resolve } from 'node:path'
import { isDenied, whoMayRead } from '../denied.ts'
import { UsageError } from '../errors.ts'
import { readBoundedFile, whyUnreadable } from './bounded-file.ts'
import type { ConfigFile, FileKeys } from './parse-config.ts'

/** The config file of the working directory; `--config FILE` names another. */
export const DEFAULT_FILE = 'collab.yaml'

/** A person writes it. */
const MAX_BYTES = 1024 * 1024

const asWritten = (value: unknown) => value

/** Keys that only `collab-extract snapshot` uses and checks. Other programs accept them unchecked. */
export const SNAPSHOT_KEYS: FileKeys = { refresh: asWritten, max_requests: asWritten, max_duration: asWritten }

/** The key that only `collab-nightly` uses and checks. Other programs accept it unchecked. */
export const NIGHTLY_KEY: FileKeys = { nightly: asWritten }

/** Reads the config file: the one named, which must exist, or that of the working directory, if there is one. */
export async function readConfigFile(
  named: string | undefined,
  directory: string,
  fileKeys: FileKeys,
  isJson = false,
): Promise<ConfigFile> {
  const path = resolve(directory, named ?? DEFAULT_FILE)
  const file = readFile(path, named)
  if (file === undefined) return noConfigFile(directory)
  const shownPath = relative(directory, path)
  if (isJson) requireJson(file.text, shownPath)
  const distrust = named === undefined ? whyDistrusted(file.stats, shownPath) : null
  // the parser is loaded only for a file that exists: its 70 modules take longer than all of this package
  const { parseConfig } = await import('./parse-config.ts')
  return { ...(await parseConfig(file.text, path, shownPath, fileKeys)), distrust }
}

/** What a program reads where no config file exists. */
export function noConfigFile(directory: string): ConfigFile {
  return { path: undefined, directory, distrust: null, settings: new Map(), extra: {}, problems: [] }
}

/** What others than the owner need to write to a file, in its mode. */
const WRITABLE_BY_OTHERS = 0o022

/** A file that the user did not name may be anyone's. Windows has neither owners nor modes of this kind. */
function whyDistrusted({ uid, mode }: Stats, shownPath: string): string | null {
  const self = process.getuid?.()
  if (self === undefined) return null
  if (uid !== self && uid !== 0) return `it belongs to another user: if you trust it, give --config ${shownPath}`
  return (mode & WRITABLE_BY_OTHERS) === 0 ? null : `other users may write to it: chmod go-w ${shownPath}`
}

/**
 * Refuses to run programs that the config file names if that file may be a stranger's.
 * @param key the key that names them
 * @throws UsageError
 */
export function requireTrust(key: string, distrust: string | null): void {
  if (distrust !== null) throw new UsageError(`${key} of ${DEFAULT_FILE} is not run, because ${distrust}`)
}

/** JSON is YAML: it is read as such, with the lines of its keys. The parser's message may quote a password. */
function requireJson(text: string, shownPath: string): void {
  let root: unknown
  try {
    root = JSON.parse(text)
  } catch (error) {
    const at = /at position \d+ \(line \d+ column \d+\)/.exec(error instanceof Error ? error.message : '')?.[0]
    throw new UsageError(`${shownPath} is not valid JSON${at === undefined ? '' : ` ${at}`}`)
  }
  if (typeof root !== 'object' || root === null || Array.isArray(root)) {
    throw new UsageError(`${shownPath} must be a JSON object such as {"schema": "collab"}`)
  }
}

function readFile(path: string, named: string | undefined): { text: string; stats: Stats } | undefined {
  try {
    return readBoundedFile(path, { maxBytes: MAX_BYTES })
  } catch (error) {
    const code = whyUnreadable(error)
    if (code === 'ENOENT' && named === undefined) return undefined
    const reason = isDenied(error) ? `${code}: ${whoMayRead(path)}` : code
    throw new UsageError(`the config file ${named ?? DEFAULT_FILE} cannot be read (${reason})`, { cause: error })
  }
}
