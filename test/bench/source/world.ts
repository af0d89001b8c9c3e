/** What the bench's service holds. It is all there is to say: the same world is always the same bytes. */
export interface World {
  readonly projects: number
  /** In each project. */
  readonly tasks: number
  readonly archivedTasks: number
  /** Before each answer. */
  readonly latencyMs: number
  /** Whether lists are made as they are sent rather than held: for those too large to hold. */
  readonly streamed: boolean
  /** Whether tasks have next to nothing but their own fields: for those too many to be stored with all that hangs on them. */
  readonly lean: boolean
}

export const WORLD: World = { projects: 1, tasks: 0, archivedTasks: 0, latencyMs: 0, streamed: false, lean: false }

/** One task in so many differs in the changed world: 1 % of them. */
export const CHANGED_ONE_IN = 100
/** Which of them: one with a checklist. */
export const CHANGED_REST = 37

export const TOKEN = 'bench-token'
/** Where the service is told its token: everyone may see its command line. */
export const TOKEN_VARIABLE = 'BENCH_SOURCE_TOKEN'

export function pidOf(project: number): string {
  return `b${String(project).padStart(23, '0')}`
}
