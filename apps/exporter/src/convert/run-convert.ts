import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BackupReader, RecordFormat } from '@collab-etl/backups/read'
import { FILE_MODE, type TemporaryDirectory } from '@collab-etl/bagit'
import { UsageError } from '@collab-etl/cli'
import { notWholeScopes, type StreamName } from '@collab-etl/contract/streams'
import {
  DOCUMENT_TABLES,
  FolderNames,
  keyOf,
  listOf,
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
import { NOT_CONVERTED, NotConverted, type Unheld } from './not-converted.ts'
import { PAGES, writePages } from './page-archive.ts'
import { Accounts, PEOPLE } from './people.ts'
import type { Target, TaskForm } from './target.ts'
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
  /** Ids of `--people` that the backup does not have. */
  readonly unknownPeople: readonly string[]
}

const FORMATS = ['jsonl', 'csv', 'markdown'] as const satisfies readonly RecordFormat[]

/** Tasks with their groups and comments, and what each kind of page is read from. */
const STREAMS: Readonly<Record<string, readonly StreamName[]>> = {
  tasks: ['entries', 'tasks', 'archived_tasks', 'task_comments'],
  pages: ['pages'],
  posts: ['posts'],
  events: ['events'],
  files: ['files'],
}

/** What the Markdown of a record has only in its front matter, which is removed. */
const IN_FRONT_MATTER: readonly string[] = ['created_at', 'updated_at', 'owner_uid']

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
  const reader = new ProjectReader(source, DOCUMENT_TABLES)
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
    const { tasks: form } = this.#target
    const { temporary, signal } = this.#parts
    await this.#countProject(of)
    using file = form ? new TaskFile(form, temporary.path) : null
    for await (const record of this.#reader.records(of.pid, { areTextsApart: false })) {
      signal.throwIfAborted()
      const { table, row } = record
      if (table === 'entries' && file)
        file.addGroup(keyOf(row, 'entry_id'), textOf(row, 'name'), (row['position'] ?? null) as number | null) // a number or NULL
      else if (table === 'tasks' && form && file) await this.#addTask(of, record, form, file)
      else this.#countOther(of, record)
    }
    if (form === undefined || file === null) return
    if (form.section === undefined) this.notConverted.add(of, 'entries', '', 'left out', file.emptyGroups.length)
    if (file.count === 0) return
    const path = `${name}${form.columns ? '.csv' : '.jsonl'}`
    await file.write(join(temporary.bag, path))
    this.files.push(path)
    this.tasks += file.count
  }

  async #addTask(
    of: Pick<Unheld, 'pid' | 'project'>,
    record: ProjectRecord,
    form: TaskForm,
    file: TaskFile,
  ): Promise<void> {
    const task = taskView(record, this.#people)
    const reason = form.refuses?.(task) ?? null
    if (reason !== null) return this.notConverted.add(of, 'tasks', reason, 'left out')
    const { converted, inText } = convertTask(task, file.titleOf(task.groupId), form, ({ uid }) =>
      this.#parts.accounts.of(uid),
    )
    await file.add(converted)
    for (const field of inText) this.notConverted.add(of, 'tasks', field, 'in the text')
    if (record.row['extra']) this.notConverted.add(of, 'tasks', 'extra', 'left out')
    if (task.labels.some(({ description }) => description))
      this.notConverted.add(of, 'tasks', 'colour of labels', 'left out')
  }

  #countOther(of: Pick<Unheld, 'pid' | 'project'>, record: ProjectRecord): void {
    const { table, row } = record
    const isPage = this.#target.pages?.has(table) === true
    const isMember = table === 'project_members' || table === 'entries'
    if (isPage && table === 'tasks') this.tasks += 1
    if (!isPage) {
      if (!(isMember && this.#target.pages)) this.notConverted.add(of, table, '', 'left out')
      for (const list of ['post_comments', 'file_comments'])
        this.notConverted.add(of, list, '', 'left out', listOf(record, list).length)
      return
    }
    if (table !== 'pages' && table !== 'posts') return
    const watchers = listOf(record, `${table.slice(0, -1)}_watchers`).length
    for (const field of IN_FRONT_MATTER) if (row[field]) this.notConverted.add(of, table, field, 'left out')
    if (watchers > 0) this.notConverted.add(of, table, 'watchers', 'left out')
  }

  /** An index of Markdown has the description and the labels of a project. */
  async #countProject(of: Pick<Unheld, 'pid' | 'project'>): Promise<void> {
    if (this.#target.pages) return
    const { row, labels } = await this.#reader.head(of.pid, true)
    if (row && textOf(row, 'description')) this.notConverted.add(of, 'projects', 'description', 'left out')
    if (labels.length > 0) this.notConverted.add(of, 'projects', 'labels', 'left out')
  }
}
