/** Contents of the benches' service. The same world always produces the same bytes. */
export interface World {
  readonly projects: number
  /** In each project. */
  readonly tasks: number
  readonly archivedTasks: number
  /** Milliseconds before each answer. */
  readonly latencyMs: number
  /** Whether lists are generated while they are sent, because they do not fit into memory. */
  readonly streamed: boolean
}

export const WORLD: World = { projects: 1, tasks: 0, archivedTasks: 0, latencyMs: 0, streamed: false }

/** One in so many tasks differs in the changed world: 1 %. */
export const CHANGED_ONE_IN = 100
/** Which of them: a task with a checklist. */
export const CHANGED_REST = 37

export const TOKEN = 'bench-token'
/** Environment variable of the service's token: command lines are visible to all users. */
export const TOKEN_VARIABLE = 'BENCH_SOURCE_TOKEN'

export function pidOf(project: number): string {
  return `b${String(project).padStart(23, '0')}`
}
