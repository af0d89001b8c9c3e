import { dirname } from 'node:path'
import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import { UsageError } from '../errors.ts'
import { didYouMean } from '../suggest.ts'
import { parseAccounts } from './accounts.ts'
import { FileValueError } from './file-value-error.ts'
import { parseProxy } from './proxy.ts'
import { SETTINGS } from './table.ts'
import { parseOauth, parseTokenCommand } from './token-keys.ts'

/**
 * Keys of the config file that an app reads by itself, each with the function that checks its value and gives it its type, or a promise
 * of it. What it throws becomes a usage error that names file, line and key; a `FileValueError` names a place within the value.
 * `directory` is what relative paths in the file are relative to.
 */
export type FileKeys = Readonly<Record<string, (value: unknown, directory: string) => unknown>>

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
  /** What is wrong with single keys, each a message that names file, line and key. */
  readonly problems: readonly UsageError[]
}

/** Keys of every program that are no single values, or have no flag. */
const COMMON_KEYS: FileKeys = {
  token_command: parseTokenCommand,
  accounts: parseAccounts,
  oauth: parseOauth,
  proxy: parseProxy,
}

function parsed(text: string, lineCounter: LineCounter, shownPath: string) {
  try {
    return parseDocument(text, { lineCounter, prettyErrors: false })
  } catch (error) {
    // the library calls itself for each level
    if (error instanceof RangeError) throw new UsageError(`${shownPath} is not valid YAML: it is nested too deeply`)
    throw error
  }
}

/**
 * Reads the text of a config file.
 * @param shownPath the path as errors show it
 * @throws UsageError that names file, line and key
 */
export async function parseConfig(
  text: string,
  path: string,
  shownPath: string,
  fileKeys: FileKeys,
): Promise<Omit<ConfigFile, 'distrust'>> {
  const lines = new LineCounter()
  const document = parsed(text, lines, shownPath)
  const at = (offset: number | undefined) => `${shownPath}:${lines.linePos(offset ?? 0).line}:`
  const broken = document.errors[0]
  if (broken) throw new UsageError(`${at(broken.pos[0])} is not valid YAML: ${withoutQuotes(broken.message)}`)

  const keys: FileKeys = { ...COMMON_KEYS, ...fileKeys }
  const root = document.contents
  const settings = new Map<string, FileEntry>()
  const extra: Record<string, unknown> = {}
  const problems: UsageError[] = []
  const file = { path, directory: dirname(path), settings, extra, problems }
  if (root === null || (isScalar(root) && root.value === null)) return file
  if (!isMap(root)) throw new UsageError(`${at(root.range?.[0])} must hold settings such as "concurrency: 4"`)
  for (const { key: keyNode, value } of root.items) {
    const key = isScalar(keyNode) ? String(keyNode.value) : 'a key that is not a word'
    const where = `${at(isScalar(keyNode) ? keyNode.range?.[0] : root.range?.[0])} ${key}`
    const check = Object.hasOwn(keys, key) ? keys[key] : undefined
    const placeOf = (names: readonly (string | number)[]) =>
      `${at(offsetOf(value, names) ?? (isScalar(keyNode) ? keyNode.range?.[0] : undefined))} ${[key, ...names].join('.')}`
    try {
      if (SETTING_KEYS.has(key)) addSetting(settings, key, value, where)
      else if (check) {
        const run = () => check(isNode(value) ? value.toJS(document) : value, file.directory)
        extra[key] = await runCheck(run, where, placeOf)
      } else throw new UsageError(unknownKey(key, where, Object.keys(keys)))
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      problems.push(error)
    }
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

async function runCheck(
  check: () => unknown,
  where: string,
  placeOf: (path: readonly (string | number)[]) => string,
): Promise<unknown> {
  try {
    return await check()
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
