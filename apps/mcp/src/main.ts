import { NIGHTLY_KEY, packageVersion, runCli, SNAPSHOT_KEYS } from '@collab-etl/cli'
import { toCliError } from './errors.ts'

/** Accepted as they are: other programs use and check them. */
const asWritten = (value: unknown) => value

await runCli({
  name: 'collab-mcp',
  version: packageVersion(new URL('../package.json', import.meta.url)),
  summary: 'Lets an assistant search and read the warehouse or a backup: a read-only MCP server on stdin and stdout.',
  commands: { $0: async () => (await import('./serve.ts')).serve },
  fileKeys: { links: asWritten, service_hosts: asWritten, ...SNAPSHOT_KEYS, ...NIGHTLY_KEY },
  mapError: toCliError,
})
