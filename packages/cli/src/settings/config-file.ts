import type { Stats } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import { UsageError } from '../errors.ts'
import { didYouMean } from '../suggest.ts'
import { readBoundedFile, whyUnreadable } from './bounded-file.ts'
import { FileValueError } from './file-value-error.ts'
import { SETTINGS } from './table.ts'
import { parseOauth, parseTokenCommand } from './token-keys.ts'

/** The config file of the working directory; `--config FILE` names another. */
export const DEFAULT_FILE = 'collab.yaml'

/** A person writes it. */
const MAX_BYTES = 1024 * 1024

/**
 * Keys of the config file that an app reads by itself, each with the function that checks its value and gives it its
 * type. What it throws becomes a usage error that names file, line and key; a `FileValueError` names a place within the value.
 * `directory` is what relative paths in the file are relative to.
 */
export type FileKeys = Readonly<Record<string, (value: unknown, directory: string) => unknown>>

const asWritten = (value: unknown) => value

/** Keys that only `collab-extract snapshot` uses and checks. Other programs accept them unchecked. */
export const SNAPSHOT_KEYS: FileKeys = { refresh: asWritten, max_requests: asWritten, max_duration: asWritten }

/** The key that only `collab-nightly` uses and checks. Other programs accept it unchecked. */
export const NIGHTLY_KEY: FileKeys = { nightly: asWritten }

/** Keys of every program about the token, which are no single values. */
const TOKEN_KEYS: FileKeys = { token_command: parseTokenCommand, oauth: parseOauth }

/** A setting's text as written in the file. */
interface FileEntry {
  readonly text: string
  /** `collab.yaml:3: concurrency`, for errors. */
  readonly where: string
}

export interface ConfigFile {
  /** Absolute; `undefined` when there is none. */
  readonly path: string | undefined
  /** What relative paths in it are relative to. */
  readonly directory: string
  /** Why programs that it names are not run; `null`: they are. */
  readonly distrust: string | null
  readonly settings: ReadonlyMap<string, FileEntry>
  readonly extra: Readonly<Record<string, unknown>>
}

/** Reads the config file: the one named, which must exist, or that of the working directory, if there is one. */
export function readConfigFile(
  named: string | undefined,
  directory: string,
  fileKeys: FileKeys,
  isJson = false,
): ConfigFile {
  const path = resolve(directory, named ?? DEFAULT_FILE)
  const file = readFile(path, named)
  if (file === undefined) return noConfigFile(directory)
  const shownPath = relative(directory, path)
  if (isJson) requireJson(file.text, shownPath)
  const distrust = named === undefined ? whyDistrusted(file.stats, shownPath) : null
  return { ...parseConfig(file.text, path, shownPath, fileKeys), distrust }
}

/** What a program reads where no config file exists. */
export function noConfigFile(directory: string): ConfigFile {
  return { path: undefined, directory, distrust: null, settings: new Map(), extra: {} }
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
    throw new UsageError(`the config file ${named ?? DEFAULT_FILE} cannot be read (${code})`, { cause: error })
  }
}

function parseConfig(text: string, path: string, shownPath: string, fileKeys: FileKeys): Omit<ConfigFile, 'distrust'> {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const at = (offset: number | undefined) => `${shownPath}:${lines.linePos(offset ?? 0).line}:`
  const broken = document.errors[0]
  if (broken) throw new UsageError(`${at(broken.pos[0])} is not valid YAML: ${withoutQuotes(broken.message)}`)

  const keys: FileKeys = { ...TOKEN_KEYS, ...fileKeys }
  const root = document.contents
  const settings = new Map<string, FileEntry>()
  const extra: Record<string, unknown> = {}
  const file = { path, directory: dirname(path), settings, extra }
  if (root === null || (isScalar(root) && root.value === null)) return file
  if (!isMap(root)) throw new UsageError(`${at(root.range?.[0])} must hold settings such as "concurrency: 4"`)
  for (const { key: keyNode, value } of root.items) {
    const key = isScalar(keyNode) ? String(keyNode.value) : 'a key that is not a word'
    const where = `${at(isScalar(keyNode) ? keyNode.range?.[0] : root.range?.[0])} ${key}`
    const check = Object.hasOwn(keys, key) ? keys[key] : undefined
    if (SETTING_KEYS.has(key)) addSetting(settings, key, value, where)
    else if (check) {
      const placeOf = (names: readonly (string | number)[]) =>
        `${at(offsetOf(value, names) ?? (isScalar(keyNode) ? keyNode.range?.[0] : undefined))} ${[key, ...names].join('.')}`
      extra[key] = runCheck(() => check(isNode(value) ? value.toJS(document) : value, file.directory), where, placeOf)
    } else throw new UsageError(unknownKey(key, where, Object.keys(keys)))
  }
  return file
}

/** The parser's message without its quotes of the file, which may hold part of a password. */
function withoutQuotes(message: string): string {
  return message.replace(/(?:: | ?\\).*$/s, '')
}

const SETTING_KEYS: ReadonlySet<string> = new Set(Object.values(SETTINGS).map(({ key }) => key))

const LIST_KEYS: ReadonlySet<string> = new Set(
  Object.values(SETTINGS).flatMap((entry) => ('list' in entry && entry.list ? [entry.key] : [])),
)

function addSetting(settings: Map<string, FileEntry>, key: string, value: unknown, where: string): void {
  if (value === null || (isScalar(value) && value.value === null)) return
  const isList = LIST_KEYS.has(key)
  const items = isList && isSeq(value) ? value.items : [value]
  if (items.length === 0) return
  const texts = items.map((item) => {
    if (!isScalar(item)) throw new UsageError(`${where} must be a single value${isList ? ' or a list of them' : ''}`)
    // The source keeps 007 and 1e3 as they were written, so that the check sees what the person sees.
    return item.type === 'PLAIN' ? (item.source ?? '') : String(item.value)
  })
  settings.set(key, { text: texts.join(','), where })
}

function runCheck(
  check: () => unknown,
  where: string,
  placeOf: (path: readonly (string | number)[]) => string,
): unknown {
  try {
    return check()
  } catch (error) {
    const place = error instanceof FileValueError && error.path.length > 0 ? placeOf(error.path) : where
    throw new UsageError(`${place} ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

/** Where the part of a value begins that a path leads to, or the last part on the way that exists. */
function offsetOf(value: unknown, [name, ...rest]: readonly (string | number)[]): number | undefined {
  if (name === undefined) return undefined
  if (isMap(value)) {
    const pair = value.items.find(({ key }) => isScalar(key) && String(key.value) === String(name))
    const begin = isScalar(pair?.key) ? pair.key.range?.[0] : value.range?.[0]
    return offsetOf(pair?.value, rest) ?? begin
  }
  const item = isSeq(value) ? value.items[Number(name)] : undefined
  if (item === undefined) return isNode(value) ? value.range?.[0] : undefined
  return offsetOf(item, rest) ?? (isNode(item) ? item.range?.[0] : undefined)
}

function unknownKey(key: string, where: string, fileKeys: readonly string[]): string {
  if (key === 'token') {
    return `${where} must not be in a config file: set COLLAB_TOKEN, or token_file to a file that holds the token`
  }
  const known = [...SETTING_KEYS, ...fileKeys]
  return `${where} is not a setting${didYouMean(key, known) || `; the settings are ${known.join(', ')}`}`
}
