import { runCli } from '@collab-etl/cli'
import { PROGRAM } from './program.ts'

await runCli(PROGRAM)
