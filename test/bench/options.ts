import { parseArgs } from 'node:util'
import type { Bench, Sizes } from './bench.ts'
import { REFERENCE, TRIAL } from './results.ts'

export interface Options {
  readonly runs: number
  /** Names of the requested figures. */
  readonly wanted: ReadonlySet<string>
  readonly profile: boolean
  readonly sizes: Sizes
  /** File for the results as JSON. */
  readonly json: string
  /** Whether the results replace those that `docs/dev/benches.md` shows. */
  readonly isReference: boolean
  /** Measures nothing: writes the table of `docs/dev/benches.md` from the stored results. */
  readonly onlyPage: boolean
}

const RUNS = 5

/** No list of tasks has a length at which services cut lists: such a list would be read twice. */
const FULL: Sizes = {
  tasks: 100_000,
  manyTasks: 1_000_000,
  storedTasks: 2_000_000,
  projects: 200,
  tasksPerProject: 21,
  loadedProjects: 100,
  tasksPerLoadedProject: 1001,
  sharedProjects: { slow: 400, large: 8, small: 2000 },
  tasksPerLargeProject: 50_000,
  archivedPages: 2000,
  archivedPageSize: 100,
  latencyMs: 50,
  pages: 20_000,
  posts: 5000,
  manyPages: 200_000,
}

/** Tiny sizes for a smoke test. */
const TINY: Sizes = {
  tasks: 201,
  manyTasks: 2001,
  storedTasks: 2000,
  projects: 3,
  tasksPerProject: 5,
  loadedProjects: 4,
  tasksPerLoadedProject: 21,
  sharedProjects: { slow: 12, large: 2, small: 6 },
  tasksPerLargeProject: 21,
  archivedPages: 12,
  archivedPageSize: 5,
  latencyMs: 2,
  pages: 60,
  posts: 20,
  manyPages: 200,
}

/** Throws an error with a message for the user. */
export function parseOptions(argv: readonly string[], benches: readonly Bench[]): Options {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      runs: { type: 'string' },
      only: { type: 'string', multiple: true, default: [] },
      profile: { type: 'boolean', default: false },
      tiny: { type: 'boolean', default: false },
      tasks: { type: 'string' },
      pages: { type: 'string' },
      posts: { type: 'string' },
      json: { type: 'string' },
      page: { type: 'boolean', default: false },
    },
  })
  const sizes = values.tiny ? TINY : FULL
  const { profile, tiny, tasks, pages, posts } = values
  const isTrial = profile || tiny || [tasks, pages, posts].some((size) => size !== undefined)
  return {
    runs: number('runs', values.runs) ?? (values.tiny ? 1 : RUNS),
    wanted: wantedOf(
      values.only.flatMap((names) => names.split(',')),
      benches,
    ),
    profile: values.profile,
    sizes: {
      ...sizes,
      tasks: number('tasks', values.tasks) ?? sizes.tasks,
      pages: number('pages', values.pages) ?? sizes.pages,
      posts: number('posts', values.posts) ?? sizes.posts,
    },
    json: values.json ?? (isTrial ? TRIAL : REFERENCE),
    onlyPage: values.page,
    isReference: values.json === undefined && !isTrial,
  }
}

function wantedOf(only: readonly string[], benches: readonly Bench[]): Set<string> {
  const names = benches.flatMap(({ figures }) => figures.map(({ name }) => name))
  const unknown = only.filter((name) => !names.includes(name))
  if (unknown.length > 0) throw new Error(`--only ${unknown.join(',')}: the benches are ${names.join(', ')}`)
  return new Set(only.length > 0 ? only : names)
}

function number(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  if (!/^[1-9]\d*$/.test(value)) throw new Error(`--${name} must be a whole number of at least 1, not ${value}`)
  return Number(value)
}
