import { hash } from 'node:crypto'
import { linesOf } from '@collab-etl/bagit'
import { Comment, ProjectDetail, ProjectListItem, type Resource } from '@collab-etl/contract'
import { parseExactJson } from '@collab-etl/contract/exact-json'
import type { Row, SourceRecord } from '@collab-etl/contract/source'
import type { ConversionIssue, StreamBatch } from '@collab-etl/contract/streams'
import { readerOf } from '@collab-etl/core/read'
import { rowObjects, rowsOf, ScopeMemory, tableByName } from '@collab-etl/warehouse/records'
import { Peeked } from './ordered.ts'
import type { RecordLine } from './rebuilder.ts'
import type { ReceivedFile } from './received.ts'
import { type JsonlFile, type RecordTable, recordInLine, tablesWithin } from './record-files.ts'

/** Lines that become rows at once. */
const LINES_AT_ONCE = 200

/** A line, parsed. */
type Line = Readonly<Record<string, unknown>>

/** A file with records of one project. */
export interface JsonlSource {
  /** Absolute. */
  readonly path: string
  /** `null`: of no project. */
  readonly pid: string | null
  readonly table: RecordTable
  readonly file: JsonlFile
}

/** The same, of a project. */
export type OfProject = JsonlSource & { readonly pid: string }

/**
 * The records of a file. The lists of a record also hold the users and the task group that it names, unless an earlier record named them.
 * @throws DecodeError if a line is not such a record
 */
export async function* jsonlRecords(
  source: JsonlSource,
  only: LineSelection | null = null,
): AsyncGenerator<SourceRecord, void, undefined> {
  const memory = new ScopeMemory()
  let lines: Line[] = []
  for await (const line of linesOf(source.path)) {
    if (only?.has(digestOf(line)) === false) continue
    lines.push(lineIn(line))
    if (lines.length < LINES_AT_ONCE) continue
    yield* recordsIn(lines, source, memory)
    lines = []
  }
  yield* recordsIn(lines, source, memory)
}

/** Lines by their digests. */
export type LineSelection = ReadonlySet<string>

/** Differing lines that are remembered, so that memory is bounded. */
const MAX_LINES = 20_000

/** The lines that only one of two files has; `null` if they are too many. Both are in the order of the same keys. */
export async function differingLines(before: string, after: string): Promise<LineSelection | null> {
  const [onlyBefore, onlyAfter] = [new Set<string>(), new Set<string>()]
  await using left = new Peeked(linesOf(before))
  await using right = new Peeked(linesOf(after))
  for (;;) {
    const [one, other] = [await left.head(), await right.head()]
    if (one === null && other === null) return new Set([...onlyBefore, ...onlyAfter])
    left.take()
    right.take()
    if (one === other) continue
    const [a, b] = [one && digestOf(one), other && digestOf(other)]
    if (a !== null && !onlyAfter.delete(a)) onlyBefore.add(a)
    if (b !== null && !onlyBefore.delete(b)) onlyAfter.add(b)
    if (onlyBefore.size + onlyAfter.size > MAX_LINES) return null
  }
}

function digestOf(line: string): string {
  return hash('sha256', line, 'base64')
}

/**
 * The lines of a file.
 * @param holds texts in lower case: lines without them are left out, which takes less time than to parse them
 */
export async function* jsonlLines(
  { path, pid, file }: OfProject,
  holds: readonly string[] = [],
): AsyncGenerator<RecordLine, void, undefined> {
  const wanted = holds.map((text) => JSON.stringify(text).slice(1, -1))
  for await (const line of linesOf(path)) {
    const text = wanted.length === 0 ? '' : line.toLowerCase()
    if (!wanted.every((word) => text.includes(word))) continue
    const found = lineIn(line)
    yield { pid, kind: file.kind, line: found, record: recordInLine(found, file) }
  }
}

/** Reads records as they were received from lines. */
export function receivedJsonl({ path, pid, file }: OfProject): ReceivedFile {
  return {
    path,
    pieces: () => linesOf(path),
    read: (line) => {
      const found = lineIn(line.toString())
      const comments = file.comments === undefined ? [] : commentsIn(found, file.comments.id)
      return { pid, archived: file.kind === 'archived_task', record: recordInLine(found, file), comments }
    },
  }
}

/** The records of some lines: their rows, each with those of its lists. */
function recordsIn(
  lines: readonly Line[],
  { pid, table, file }: JsonlSource,
  memory: ScopeMemory,
): readonly SourceRecord[] {
  const { kind, resource, comments } = file
  const lists = tablesWithin(table)
  const found = lines.map(() => ({
    row: null as Row | null,
    lists: new Map(lists.map((name): [string, Row[]] => [name, []])),
  }))
  const scope = { pid, stream: tableByName(table).streams[0] }
  /** `owners`: index of the line that each record is from; default: the record's own index. */
  const add = (batchKind: StreamBatch['kind'], records: readonly unknown[], owners?: readonly number[]) => {
    for (const rows of rowsOf(scope, batchOf(batchKind, records), memory).tables) {
      const { name } = rows.table
      for (const [index, row] of rowObjects(rows).entries()) {
        const record = rows.records[index] ?? 0
        const of = found[owners?.[record] ?? record]
        if (of === undefined) continue
        if (name === table) of.row = row
        else if (!of.lists.get(name)?.push(row)) of.lists.set(name, [row])
      }
    }
  }
  const recordOfLine = (line: Line) =>
    kind === 'project' ? projectIn(line) : recordIn(resource, recordInLine(line, file))
  add(kind, lines.map(recordOfLine))
  if (comments !== undefined) {
    const [all, owners]: [unknown[], number[]] = [[], []]
    for (const [index, line] of lines.entries()) {
      for (const comment of commentsIn(line, comments.id)) {
        all.push({ [comments.id]: recordInLine(line, file)[comments.id], comment: recordIn(Comment, comment) })
        owners.push(index)
      }
    }
    add(comments.kind, all, owners)
  }
  return found.flatMap(({ row, lists }) => (row === null ? [] : [{ table, row, lists }]))
}

/** The comments in a line; a record without comments may be a line by itself. @param id the field of the record's id */
export function commentsIn(line: Line, id: string): readonly Line[] {
  const { comments } = line
  return id in line || !Array.isArray(comments) ? [] : comments
}

/** A line has the fields of the detail, then those that only the list of projects has. */
export function projectIn(line: Line): object {
  const isListed = (name: string) =>
    name === 'pid' || (name in ProjectListItem.properties && !(name in ProjectDetail.properties))
  const listed = Object.fromEntries(Object.entries(line).filter(([name]) => isListed(name)))
  const rest = Object.fromEntries(Object.entries(line).filter(([name]) => name === 'pid' || !isListed(name)))
  return { pid: line['pid'], listed: recordIn(ProjectListItem, listed), detail: recordIn(ProjectDetail, rest) }
}

/** A value of a backup as the record that the service sent. */
export function recordIn(resource: Resource, value: unknown): unknown {
  return readerOf(resource).read(value, [])
}

export function batchOf(
  kind: StreamBatch['kind'],
  records: readonly unknown[],
  losses: readonly ConversionIssue[] = [],
): StreamBatch {
  return { kind, records, losses } as unknown as StreamBatch // `kind` says which records these are
}

function lineIn(text: string): Line {
  return lineOf(parseExactJson(text))
}

function lineOf(value: unknown): Line {
  return value as Line // written by the formats, and checked against the manifest
}
