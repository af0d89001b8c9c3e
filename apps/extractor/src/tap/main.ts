import { packageVersion, runCli } from '@collab-etl/cli'
import { toCliError } from '../errors.ts'
import { startDate } from './config.ts'

await runCli({
  name: 'tap-collab',
  version: packageVersion(new URL('../../package.json', import.meta.url)),
  summary: 'A Singer tap over the warehouse: writes its records, and what changed since the last sync, to stdout.',
  commands: { $0: async () => (await import('./tap.ts')).tap },
  fileKeys: {
    start_date: startDate,
    // Singer's special keys; no request is sent that could name an agent
    user_agent: (value) => value,
  },
  hasJsonConfig: true,
  mapError: toCliError,
})
