import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeEmptyWarehouse } from '@collab-etl/harness/empty-warehouse'
import { scratch } from '@collab-etl/harness/scratch'
import { expect, test } from 'vitest'
import { MAX_RESULT_BYTES } from '../src/bounds.ts'
import { connect } from './sources.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/assistants.md'), 'utf8')

interface Configured {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

test('docs/assistants.md lists the tools of a warehouse; its configuration starts the server', async () => {
  const [, json = ''] = /<!-- file: mcp\.json -->\n```json\n([\s\S]*?)```/.exec(PAGE) ?? []
  const { mcpServers } = JSON.parse(json) as { mcpServers: Record<string, Configured> } // the form that assistants read
  const servers = Object.values(mcpServers)
  expect(servers.map(({ command }) => command.endsWith('/.bin/collab-mcp'))).toEqual([true, true])
  expect(servers.map(({ args, env }) => [args[0], ...Object.keys(env ?? {})])).toEqual([
    ['--log-level', 'DATABASE_URL'],
    ['--backup'],
  ])
  const dataDir = join(await scratch(), 'data')
  await makeEmptyWarehouse(dataDir)
  await using server = await connect(servers[0]?.args ?? [], { COLLAB_DATA_DIR: dataDir })
  const { tools } = await server.client.listTools()
  const listed = [...PAGE.matchAll(/^\| `(\w+)` +\|/gm)].map(([, name]) => name)
  expect(listed).toEqual(tools.map(({ name }) => name))
  expect(PAGE).toContain(`at most ${MAX_RESULT_BYTES.toLocaleString('en')} bytes`)
})
