import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { lackingIn } from '@collab-etl/backups/batches'
import type { BackupReader, RecordFormat } from '@collab-etl/backups/read'
import { FILE_MODE, type TemporaryDirectory } from '@collab-etl/bagit'
import { UsageError } from '@collab-etl/cli'
import { notWholeScopes, type StreamName } from '@collab-etl/contract/streams'
import {
  DOCUMENT_TABLES,
  FolderNames,
  keyOf,
  People,
  type ProjectRecord,
  type Row,
  taskView,
  textOf,
} from '@collab-etl/documents'
import type { BackupOptions } from '../backup/options.ts'
import { ProjectReader } from '../source/project-reader.ts'
import { openRecordedSource } from '../view/recorded-source.ts'
import { contentOf } from '../view/render-site.ts'
import { LabelNames } from './label-names.ts'
import { leftOutOf, leftOutOfProject } from './left-out.ts'
import { NOT_CONVERTED, NotConverted, type Unheld } from './not-converted.ts'
import { PAGES, writePages } from './page-archive.ts'
import { Accounts, PEOPLE } from './people.ts'
import type { Target } from './target.ts'
import { TaskFile } from './task-file.ts'
import { convertTask } from './task-text.ts'

export interface ConvertOptions extends Pick<BackupOptions, 'links' | 'serviceHosts'> {
  /** Accounts by `uid`. */
  readonly accounts: ReadonlyMap<string, string>
  readonly signal: AbortSignal
  /** Called as the tables of the backup are read, then as projects are written. */
  readonly onProgress: (step: 'reading' | 'writing', done: number, total: number) => void
}

/** What was written. */
export interface Conversion {
  readonly format: RecordFormat
  readonly projects: number
  readonly tasks: number
  /** Number of Markdown files in the archive. */
  readonly pages: number
  readonly files: readonly string[]
  readonly notConverted: NotConverted
  /** Streams that the backup does not have completely, of those that the target could hold. */
  readonly incomplete: readonly { readonly pid: string | null; readonly stream: string; readonly status: string }[]
  /** Fields that the format of the backup does not have, of those that the target could hold: `tasks: watchers`. */
  readonly lacking: readonly string[]
  /** Ids of `--people` that the backup does not have. */
  readonly unknownPeople: readonly string[]
}

const FORMATS = ['jsonl', 'csv', 'markdown'] as const satisfies readonly RecordFormat[]

const KINDS = ['projects', 'tasks', 'pages', 'posts', 'events', 'files'] as const

/** Tasks with their groups and comments, and what each kind of page is read from. */
const STREAMS: Readonly<Record<string, readonly StreamName[]>> = {
  tasks: ['entries', 'tasks', 'archived_tasks', 'task_comments'],
  pages: ['pages'],
  posts: ['posts'],
  events: ['events'],
  files: ['files'],
}

/**
 * Writes what a target imports into the bag of a temporary directory.
 * @throws UsageError if the backup has none of what the target holds; DamagedBagError if a file that is read differs from the manifest
 */
export async function convertBackup(
  backup: BackupReader,
  target: Target,
  temporary: TemporaryDirectory,
  options: ConvertOptions,
): Promise<Conversion> {
  const { signal, onProgress } = options
  const held = new Set<string>([...(target.tasks ? ['tasks'] : []), ...(target.pages ?? [])])
  const format = formatFor(backup, target)
  await using source = await openRecordedSource(backup, format, join(temporary.path, 'spool'), {
    signal,
    onPart: (done, total) => onProgress('reading', done, total),
  })
  const reader = new ProjectReader(source, new Set([...DOCUMENT_TABLES, 'file_watchers']))
  const users = await reader.users()
  const accounts = new Accounts(options.accounts, users, target.tasks?.knowsEmail === true)
  const conversion = new ProjectConversion(reader, target, { users, accounts, temporary, signal })
  const projects = backup.manifest.projects.map(({ pid, name }) => ({ id: pid, title: name }))
  const names = new FolderNames(
    'plain',
    [PEOPLE, NOT_CONVERTED].map((name) => name.replace('.csv', '')),
  ).name(projects)
  for (const [index, { id, title }] of projects.entries()) {
    onProgress('writing', index, projects.length)
    await conversion.add({ pid: id, project: title }, names[index] ?? id)
  }
  const { files, notConverted } = conversion
  countOthers(backup, notConverted)
  const { pages: kinds } = target
  let pages = 0
  if (kinds) {
    const content = new Set([...contentOf(backup.manifest, format)].filter((kind) => kinds.has(kind)))
    const archive = { temporary: temporary.path, folder: join(temporary.path, 'pages'), signal }
    pages = await writePages(join(temporary.bag, PAGES), source, { ...archive, options: { ...options, content } })
    files.push(PAGES)
  }
  for (const [name, lines] of [
    [PEOPLE, accounts.lines()],
    [NOT_CONVERTED, notConverted.lines()],
  ] as const)
    await writeFile(join(temporary.bag, name), lines, { flag: 'wx', mode: FILE_MODE })
  const streams = new Set<string>([...held].flatMap((kind) => STREAMS[kind] ?? []))
  return {
    format,
    projects: projects.length,
    tasks: conversion.tasks,
    pages,
    files: [...files, PEOPLE, NOT_CONVERTED],
    notConverted,
    incomplete: notWholeScopes(await source.scopes()).filter(
      ({ stream }) => stream === 'projects' || streams.has(stream),
    ),
    lacking: KINDS.filter((kind) => kind === 'projects' || held.has(kind)).flatMap((kind) => {
      const fields = lackingIn(format, kind)
      return fields.length === 0 ? [] : [`${kind}: ${fields.join(', ')}`]
    }),
    unknownPeople: accounts.unknown,
  }
}

/** The first format that has what the target holds. */
function formatFor(backup: BackupReader, { title, tasks, pages }: Target): RecordFormat {
  const kinds = (['tasks', 'pages', 'posts'] as const).filter((kind) => pages?.has(kind) || (kind === 'tasks' && tasks))
  const format = FORMATS.find((each) => kinds.some((kind) => backup.holds(each, kind)))
  if (format !== undefined) return format
  const lacking = pages ? 'pages, posts or tasks' : 'tasks'
  throw new UsageError(
    `${backup.path} has no ${lacking} for ${title}: make a backup with --format jsonl or csv, or with --format markdown --task-files one`,
  )
}

interface Parts {
  readonly users: ReadonlyMap<string, Row>
  readonly accounts: Accounts
  readonly temporary: TemporaryDirectory
  readonly signal: AbortSignal
}

/** Writes the file of each project, and counts what the target cannot hold. */
class ProjectConversion {
  readonly #reader: ProjectReader
  readonly #target: Target
  readonly #parts: Parts
  readonly #people: People
  readonly notConverted = new NotConverted()
  readonly files: string[] = []
  tasks = 0

  constructor(reader: ProjectReader, target: Target, parts: Parts) {
    this.#reader = reader
    this.#target = target
    this.#parts = parts
    this.#people = new People(parts.users)
  }

  async add(of: Pick<Unheld, 'pid' | 'project'>, name: string): Promise<void> {
    const { tasks: form, pages } = this.#target
    const { temporary, signal } = this.#parts
    const head = await this.#reader.head(of.pid, true)
    const leftOut = (kind: string, field: string, records = 1) =>
      this.notConverted.add(of, kind, field, 'left out', records)
    using file = form ? new TaskFile(form, temporary.path) : null
    const labelNames = form && new LabelNames(form)
    for await (const record of this.#reader.records(of.pid, { areTextsApart: false })) {
      signal.throwIfAborted()
      const { table, row } = record
      const isPage = pages?.has(table) === true
      const isInIndex = pages !== undefined && table === 'entries'
      if (table === 'entries') file?.addGroup(keyOf(row, 'entry_id'), textOf(row, 'name'), positionOf(row))
      if (table === 'tasks' && file && labelNames) {
        if (!(await this.#addTask(of, record, file, labelNames))) continue
      } else if (table === 'tasks' && isPage) this.tasks += 1
      const isHeld = isPage || isInIndex || (file !== null && (table === 'tasks' || table === 'entries'))
      for (const each of leftOutOf(record, isHeld, this.#target)) leftOut(...each)
    }
    for (const field of leftOutOfProject(head, pages ? null : file?.count ? name : '')) leftOut('projects', field)
    if (form === undefined || file === null) return
    leftOut('entries', '', file.lostGroups)
    if (file.count === 0) return
    const path = `${name}${form.columns ? '.csv' : '.jsonl'}`
    await file.write(join(temporary.bag, path))
    this.files.push(path)
    this.tasks += file.count
  }

  /** Whether the target can hold the task. */
  async #addTask(
    of: Pick<Unheld, 'pid' | 'project'>,
    record: ProjectRecord,
    file: TaskFile,
    labelNames: LabelNames,
  ): Promise<boolean> {
    const task = taskView(record, this.#people)
    const { form } = file
    const reason = form.refuses?.(task) ?? null
    if (reason !== null) {
      this.notConverted.add(of, 'tasks', reason, 'left out')
      return false
    }
    const { converted, inText, leftOut } = convertTask(task, file.titleOf(task.groupId), form, labelNames, ({ uid }) =>
      this.#parts.accounts.of(uid),
    )
    await file.add(converted)
    for (const field of inText) this.notConverted.add(of, 'tasks', field, 'in the text')
    for (const field of leftOut) this.notConverted.add(of, 'tasks', field, 'left out')
    return true
  }
}

const positionOf = ({ position }: Row) => (position ?? null) as number | null // a number or NULL

/** Tables of a backup that no target has a field for, and that the records of projects do not contain. */
function countOthers({ manifest }: BackupReader, notConverted: NotConverted): void {
  for (const table of ['teams', 'webhooks'])
    notConverted.add({ pid: '', project: null }, table, '', 'left out', manifest.tables?.[table]?.rows ?? 0)
}
