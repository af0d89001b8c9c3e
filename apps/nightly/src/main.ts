import { readFileSync } from 'node:fs'
import { runCli } from '@collab-etl/cli'
import { nightly } from './nightly.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string } // our own package.json

await runCli({
  name: 'collab-nightly',
  version,
  summary: 'Reads every project into the warehouse, then writes a backup as Markdown and CSV.',
  commands: { $0: () => nightly },
  // The programs of both steps check them.
  fileKeys: { links: (value) => value, service_hosts: (value) => value },
})
