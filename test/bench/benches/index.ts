import type { Bench } from '../bench.ts'
import { archivedWalk } from './archived-walk.ts'
import { loading } from './loading.ts'
import { manyProjects } from './many-projects.ts'
import { memory } from './memory.ts'

/** All benches, in the order of their table. */
export const BENCHES: readonly Bench[] = [loading, memory, manyProjects, archivedWalk]
