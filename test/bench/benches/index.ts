import type { Bench } from '../bench.ts'
import { loading } from './loading.ts'

/** All benches, in the order of their table. */
export const BENCHES: readonly Bench[] = [loading]
