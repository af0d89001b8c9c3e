import { runCli } from '@collab-etl/cli'
import { parseLinkPatterns } from '@collab-etl/core'
import { check } from './commands/check.ts'
import { docs } from './commands/docs.ts'
import { init } from './commands/init.ts'
import { query } from './commands/query.ts'
import { runs } from './commands/runs.ts'
import { snapshot } from './commands/snapshot.ts'
import { verify } from './commands/verify.ts'
import { toCliError } from './errors.ts'
import { VERSION } from './version.ts'

await runCli({
  name: 'collab-extract',
  version: VERSION,
  summary: 'Reads every project of the service into a warehouse, and says what it read and what is not whole.',
  commands: [snapshot, verify, check, runs, init, query, docs],
  fileKeys: { links: parseLinkPatterns },
  mapError: toCliError,
})
