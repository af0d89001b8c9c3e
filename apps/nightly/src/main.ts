import { packageVersion, runCli, SNAPSHOT_KEYS } from '@collab-etl/cli'
import { nightly } from './nightly.ts'

await runCli({
  name: 'collab-nightly',
  version: packageVersion(new URL('../package.json', import.meta.url)),
  summary: 'Reads every project into the warehouse, then writes a backup as Markdown and CSV.',
  commands: { $0: () => nightly },
  // The programs of both steps check them.
  fileKeys: { links: (value) => value, service_hosts: (value) => value, ...SNAPSHOT_KEYS },
})
