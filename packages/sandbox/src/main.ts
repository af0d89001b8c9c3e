import { runCli } from '@collab-etl/cli'
import { PROGRAM } from './command/program.ts'

await runCli(PROGRAM)
