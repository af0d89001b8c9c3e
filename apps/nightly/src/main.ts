import { readFileSync } from 'node:fs'
import { runCli } from '@collab-etl/cli'
import { nightly } from './nightly.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string } // our own package.json

await runCli({
  name: 'collab-nightly',
  version,
  summary: 'The main job: reads every project into the warehouse, then writes a Markdown and CSV backup.',
  commands: { $0: () => nightly },
  // The commands that are run check it themselves.
  fileKeys: { links: (value) => value, service_hosts: (value) => value },
})
