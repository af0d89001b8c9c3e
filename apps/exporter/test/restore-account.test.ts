import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '@collab-etl/harness/commands'
import { scratch } from '@collab-etl/harness/scratch'
import { expect, test } from 'vitest'
import { useRestoreWorld } from './restore-sandboxes.ts'

const world = useRestoreWorld({ pages: 3, posts: 2, tasks: 0 })

/** Restores with a file of accounts, by the name of each with its token. */
async function restore(tokens: Readonly<Record<string, string>>, ...more: string[]) {
  const cwd = await scratch()
  const { sandbox, pid } = world.target
  const lines = Object.keys(tokens).map((name) => `  - { name: ${name}, token_file: ${name} }\n`)
  await writeFile(join(cwd, 'collab.yaml'), `base_url: ${sandbox.baseUrl}\naccounts:\n${lines.join('')}`)
  for (const [name, token] of Object.entries(tokens)) await writeFile(join(cwd, name), token, { mode: 0o600 })
  return await run('collab-export', ['restore', world.bag, '--to-project', pid, '--settle', '0', ...more], { cwd })
}

const creations = () => world.target.sandbox.requests.filter(({ method }) => method === 'POST')

test('restore creates with the account of --account, and with the only one', async () => {
  const { token } = world.target.sandbox
  expect((await restore({ anna: token, ben: 'wrong' }, '--account', 'anna')).code).toBe(0)
  expect(creations().length).toBeGreaterThan(0)
  expect((await restore({ anna: token }, '--again')).code).toBe(0)
})

test.each([
  [[], /^collab-export: --account NAME is needed, as several accounts could create the records: anna, ben\n$/],
  [['--dry-run'], /--account NAME is needed/],
  [['--account', 'carl'], /^collab-export: --account: no account is named carl \(anna, ben\)\n$/],
])('restore %j creates nothing, and names the accounts', async (args, says) => {
  const { token } = world.target.sandbox
  const { code, stderr } = await restore({ anna: token, ben: token }, ...args)
  expect([code, stderr]).toEqual([2, expect.stringMatching(says)])
  expect(world.target.sandbox.requests).toEqual([])
})

test('restore uses no other account if the named one is refused', async () => {
  const { token } = world.target.sandbox
  const { code } = await restore({ anna: token, ben: 'wrong' }, '--account', 'ben')
  expect([code, creations()]).toEqual([4, []])
})
