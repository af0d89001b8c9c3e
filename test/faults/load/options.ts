import { parseArgs } from 'node:util'
import { LEVEL_FROM } from './verdicts.ts'

export interface Options {
  readonly runs: number
  readonly projects: number
  readonly tasks: number
}

const FULL: Options = { runs: 12, projects: 2000, tasks: 2_000_000 }

export const HELP = `Runs collab-extract snapshot again and again in one process against a service in another, into Postgres, and looks whether
memory, handles and the time of an unchanged run stay as they are. On two cores, a dozen runs of two million tasks take an hour.

  --runs N      runs, at least ${LEVEL_FROM + 1} [default: ${FULL.runs}]
  --projects N  projects of the service [default: ${FULL.projects}]
  --tasks N     tasks in all of them together [default: ${FULL.tasks}]

The server is that of TEST_DATABASE_URL, or a container of TEST_POSTGRES_IMAGE [default: postgres:17-alpine].
`

/** Returns `null` if help was requested. Throws an error with a message for the user. */
export function parseOptions(argv: readonly string[]): Options | null {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      runs: { type: 'string' },
      projects: { type: 'string' },
      tasks: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return null
  const projects = wholeNumber('projects', values.projects, 1) ?? FULL.projects
  return {
    runs: wholeNumber('runs', values.runs, LEVEL_FROM + 1) ?? FULL.runs,
    projects,
    tasks: wholeNumber('tasks', values.tasks, projects) ?? FULL.tasks,
  }
}

function wholeNumber(name: string, value: string | undefined, least: number): number | undefined {
  if (value === undefined) return undefined
  if (/^\d+$/.test(value) && Number(value) >= least) return Number(value)
  throw new Error(`--${name} must be a whole number of at least ${least}, not ${value}`)
}
