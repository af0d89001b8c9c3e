import type { Bench } from '../bench.ts'
import { analysis } from './analysis.ts'
import { archivedWalk } from './archived-walk.ts'
import { backupFormats } from './backup-formats.ts'
import { backupMemory, backupMemoryHtml } from './backup-memory.ts'
import { backups } from './backups.ts'
import { load } from './load.ts'
import { loadedProjects } from './loaded-projects.ts'
import { loading } from './loading.ts'
import { manyProjects } from './many-projects.ts'
import { memory } from './memory.ts'
import { move } from './move.ts'
import { offeredRequests } from './offered-requests.ts'
import { searchHtml } from './search-html.ts'
import { start } from './start.ts'
import { tap } from './tap.ts'
import { workers } from './workers.ts'

/** All benches, in the order of their table. */
export const BENCHES: readonly Bench[] = [
  loading,
  loadedProjects,
  memory,
  manyProjects,
  offeredRequests,
  ...workers,
  archivedWalk,
  backups,
  backupFormats,
  load,
  move,
  backupMemoryHtml,
  backupMemory,
  searchHtml,
  start,
  tap,
  analysis,
]
