import { archiveYear } from '../../views/task.ts'
import type { TaskRow } from '../list-rows.ts'
import type { Markup } from '../markup.ts'
import { type BoardColumn, boardColumns } from '../pages/board-page.ts'
import { breadcrumb, type PageLink } from '../pages/layout.ts'
import { taskHeader } from '../pages/task-header.ts'
import { type ListData, listFinder, NO_TASKS, taskTable, yearLinks } from '../pages/task-list-page.ts'
import type { Section } from '../section.ts'
import type { TaskGroup, TaskGroups } from '../task-groups.ts'
import type { TaskRows } from './task-rows.ts'

/** Tasks on a page of a list, and of each state in a column of the board. */
const PER_PAGE = 500
const PER_COLUMN = 40

/** Writes the board, the list, and the archive by year. `shards` are the names of the scripts that hold the rows. */
export async function writeTaskLists(
  section: Section,
  rows: TaskRows,
  groups: TaskGroups,
  shards: { readonly current: readonly string[]; readonly archived: readonly string[] },
): Promise<void> {
  const { current, archived } = rows.sorted()
  const columns = await columnsOf(rows, current, groups)
  const [open, done] = [sum(columns, ({ open }) => open.count), sum(columns, ({ done }) => done.count)]
  const about = { open, done, archived: archived.length }
  await writeBoard(section, about, columns)
  const list = { rows, groups, about }
  const data: ListData = { shards: shards.current, total: current.length, isArchive: false }
  await writeList(section, { ...list, file: 'tasks', title: 'List', indexes: current, data })
  await writeArchive(section, list, archived, shards.archived)
}

/** The link to the tasks of a project from a file in its folder. */
const TASKS: PageLink = { title: 'Tasks', address: 'board.html', isOurs: true }

type About = Parameters<typeof taskHeader>[1]

/** Indexes of rows. */
type Indexes = readonly number[] | Uint32Array

interface Listed {
  readonly rows: TaskRows
  readonly groups: TaskGroups
  readonly about: About
}

async function writeBoard(section: Section, about: About, columns: readonly BoardColumn[]): Promise<void> {
  const path = section.map.pathOf('board.html')
  const pieces = function* () {
    yield breadcrumb(section.map.top(path), 'Tasks', true)
    yield taskHeader('board.html', about)
    yield* boardColumns(columns)
  }
  await writeBroad(section, path, 'Board', pieces())
}

/** Writes a list in pages: `<file>.html`, `<file>-2.html` and so on. */
async function writeList(
  section: Section,
  list: Listed & {
    readonly file: string
    readonly title: string
    readonly indexes: Indexes
    readonly data: ListData
    readonly before?: Markup | null
  },
): Promise<void> {
  const { rows, groups, about, file, title, indexes, data, before = null } = list
  const of = Math.max(1, Math.ceil(indexes.length / PER_PAGE))
  const nameOf = (number: number) =>
    number < 1 || number > of ? null : `${file}${number === 1 ? '' : `-${number}`}.html`
  for (let number = 1; number <= of; number++) {
    const path = section.map.pathOf(nameOf(number) ?? '')
    const onPage: TaskRow[] = []
    for (const index of indexes.slice((number - 1) * PER_PAGE, number * PER_PAGE)) onPage.push(await rows.at(index))
    const tasks = onPage.map((task) => ({ task, group: groups.of(task.group) }))
    const pieces = function* () {
      yield breadcrumb([...section.map.top(path), TASKS], title, true)
      yield taskHeader(data.isArchive ? 'archive.html' : 'tasks.html', about)
      if (before) yield before
      const finder = number === 1 && listFinder(data)
      if (finder) yield finder
      if (onPage.length > 0) {
        const around = { before: nameOf(number - 1), after: nameOf(number + 1) }
        yield* taskTable({ tasks, number, of, isArchive: data.isArchive, ...around })
      } else yield NO_TASKS
    }
    await writeBroad(section, path, of > 1 ? `${title}, page ${number}` : title, pieces())
  }
}

/** Writes the archive: all years, and each year. */
async function writeArchive(
  section: Section,
  list: Listed,
  archived: Uint32Array,
  shards: readonly string[],
): Promise<void> {
  const { rows } = list
  const years = Map.groupBy(archived, (index) => archiveYear(rows.timesAt(index)))
  const links = [...years].map(([year, indexes]) => ({
    title: year,
    address: `archive-${year}.html`,
    count: indexes.length,
  }))
  const data: ListData = { shards, total: archived.length, isArchive: true }
  const before = yearLinks(links)
  const latest = archived.slice(0, PER_PAGE)
  await writeList(section, { ...list, file: 'archive', title: 'Archived', indexes: latest, data, before })
  for (const [year, indexes] of years) {
    const own = { file: `archive-${year}`, title: `Archived ${year}`, indexes }
    await writeList(section, { ...list, ...own, data: { ...data, total: 0 }, before })
  }
}

async function writeBroad(section: Section, path: string, title: string, pieces: Iterable<Markup>): Promise<void> {
  const sidebar = section.map.listSidebar(path, 'Tasks')
  await section.pages.stream({ path, title, sidebar, isBroad: true }, pieces)
}

/** The columns of the board: every group, and the tasks without one if there are any. */
async function columnsOf(rows: TaskRows, current: Uint32Array, groups: TaskGroups): Promise<BoardColumn[]> {
  const columns: BoardColumn[] = []
  const byOrder = Map.groupBy(current, (index) => rows.orderAt(index))
  const add = async (group: TaskGroup) => {
    const indexes = byOrder.get(groups.orderOf(group.id)) ?? []
    const partOf = async (isDone: boolean) => {
      const all = indexes.filter((index) => rows.isCompleted(index) === isDone)
      const shown: TaskRow[] = []
      for (const index of all.slice(0, PER_COLUMN)) shown.push(await rows.at(index))
      return { count: all.length, shown }
    }
    columns.push({ group, open: await partOf(false), done: await partOf(true) })
  }
  for (const group of groups.all()) await add(group)
  if (byOrder.has(groups.orderOf(null))) await add(groups.of(null))
  return columns
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}
