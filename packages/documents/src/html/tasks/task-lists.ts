import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { archiveTime, archiveYear } from '../../views/task.ts'
import type { TaskRow } from '../list-rows.ts'
import type { Markup } from '../markup.ts'
import type { PackedRows } from '../packed-rows.ts'
import { type BoardColumn, boardColumns } from '../pages/board-page.ts'
import { breadcrumb } from '../pages/layout.ts'
import { taskHeader } from '../pages/task-header.ts'
import { type ListData, listFinder, taskTable, yearLinks } from '../pages/task-list-page.ts'
import type { Section } from '../section.ts'
import type { TaskGroup, TaskGroups } from '../task-groups.ts'

/** Tasks on a page of a list, and in a column of the board. */
const PER_PAGE = 500
const PER_COLUMN = 40

type Rows = PackedRows<TaskRow>

/** Writes the board, the list, and the archive by year. `shards` are the names of the scripts that hold the rows. */
export async function writeTaskLists(
  section: Section,
  rows: Rows,
  groups: TaskGroups,
  shards: { readonly current: readonly string[]; readonly archived: readonly string[] },
): Promise<void> {
  const { current, archived } = sorted(rows, groups)
  const columns = columnsOf(rows, current, groups)
  const [open, done] = [sum(columns, ({ open }) => open), sum(columns, ({ completed }) => completed)]
  const about = { open, done, archived: archived.length, groups: groups.all(), labels: section.labels }
  await writeBoard(section, about, columns)
  const list = { rows, groups, about }
  const data: ListData = { shards: shards.current, total: current.length, isArchive: false }
  await writeList(section, { ...list, file: 'tasks', title: 'List', indexes: current, data })
  await writeArchive(section, list, archived, shards.archived)
}

type About = Parameters<typeof taskHeader>[1]

interface Listed {
  readonly rows: Rows
  readonly groups: TaskGroups
  readonly about: About
}

async function writeBoard(section: Section, about: About, columns: readonly BoardColumn[]): Promise<void> {
  const path = section.map.pathOf('board.html')
  const pieces = function* () {
    yield breadcrumb(section.map.top(path), 'Tasks')
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
    readonly indexes: readonly number[]
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
    const onPage = indexes.slice((number - 1) * PER_PAGE, number * PER_PAGE)
    const tasks = function* () {
      for (const index of onPage) {
        const task = rows.at(index)
        yield { task, group: groups.of(task.group) }
      }
    }
    const pieces = function* () {
      yield breadcrumb([...section.map.top(path), { title: 'Tasks', address: 'board.html' }], title)
      yield taskHeader(data.isArchive ? 'archive.html' : 'tasks.html', about)
      if (before) yield before
      const finder = number === 1 && listFinder(data)
      if (finder) yield finder
      if (onPage.length > 0) {
        const around = { before: nameOf(number - 1), after: nameOf(number + 1) }
        yield* taskTable({ tasks: tasks(), number, of, ...around })
      }
    }
    await writeBroad(section, path, of > 1 ? `${title}, page ${number}` : title, pieces())
  }
}

/** Writes the archive: all years, and each year. */
async function writeArchive(
  section: Section,
  list: Listed,
  archived: readonly number[],
  shards: readonly string[],
): Promise<void> {
  const { rows } = list
  const years = Map.groupBy(archived, (index) => archiveYear(rows.at(index)))
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

/** Tasks on the board by group and position; archived ones, the last updated first. */
function sorted(rows: Rows, groups: TaskGroups): { current: readonly number[]; archived: readonly number[] } {
  const current: number[] = []
  const archived: number[] = []
  const places = new Float64Array(rows.length)
  const orders = new Float64Array(rows.length)
  const times: string[] = []
  for (let index = 0; index < rows.length; index++) {
    const row = rows.at(index)
    places[index] = row.position ?? Number.POSITIVE_INFINITY
    orders[index] = groups.orderOf(row.group)
    if (row.archived) times[index] = archiveTime(row) ?? ''
    if (row.archived) archived.push(index)
    else current.push(index)
  }
  const by = (values: Float64Array, a: number, b: number) => {
    const [first = 0, second = 0] = [values[a], values[b]]
    return first === second ? 0 : first < second ? -1 : 1
  }
  current.sort((a, b) => by(orders, a, b) || by(places, a, b) || a - b)
  archived.sort((a, b) => compareBytes(times[b] ?? '', times[a] ?? '') || a - b)
  return { current, archived }
}

/** The columns of the board: every group, and the tasks without one if there are any. */
function columnsOf(rows: Rows, current: readonly number[], groups: TaskGroups): BoardColumn[] {
  const columns = new Map<
    string | null,
    { group: TaskGroup; open: TaskRow[]; done: TaskRow[]; counts: [number, number] }
  >()
  const columnOf = (group: TaskGroup) => {
    const known = columns.get(group.id) ?? { group, open: [], done: [], counts: [0, 0] }
    columns.set(group.id, known)
    return known
  }
  for (const group of groups.all()) columnOf(group)
  for (const index of current) {
    const task = rows.at(index)
    const { open, done, counts } = columnOf(groups.of(task.group))
    counts[task.completed ? 1 : 0] += 1
    const kept = task.completed ? done : open
    if (kept.length < PER_COLUMN) kept.push(task)
  }
  return [...columns.values()].map(({ group, open, done, counts }) => ({
    ...{ group, open: counts[0], completed: counts[1] },
    shown: [...open, ...done].slice(0, PER_COLUMN),
  }))
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}
