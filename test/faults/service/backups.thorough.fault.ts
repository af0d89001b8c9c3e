/** @module-tag thorough */

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withoutReading } from '@collab-etl/harness/without-reading'
import { cutToFit, value } from '@collab-etl/sandbox/behaviours'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import type { Fixture } from '../support/fixture.ts'
import { backup } from './backup-commands.ts'
import { everywhere, gateway, serviceError } from './rules.ts'
import { projectOf, showWorld, worldTonight } from './world.ts'

/** The files of the latest backup by path, without `bag-info.txt`, which contains the time. */
async function filesOf(fixture: Fixture, out: string): Promise<Map<string, string>> {
  const root = join(fixture.path, out, 'latest')
  const files = new Map<string, string>()
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && !/bag-info|tagmanifest/.test(entry.name)) {
      files.set(path.slice(root.length + 1), await readFile(path, 'latin1'))
    }
  }
  return withoutReading(files)
}

/** The files whose path contains a word. */
function holding(files: ReadonlyMap<string, string>, ...words: string[]): Map<string, string> {
  return new Map([...files].filter(([path]) => words.some((word) => path.includes(word))))
}

fault('backup: the first answer of each operation is reset, cut, or HTML', async (fixture) => {
  const service = await showWorld(fixture, worldTonight())
  expect((await backup(fixture, service, 'clean')).code).toBe(0)
  const ran = await backup(fixture, service, 'broken', [
    ...everywhere({ pid: 'P1', first: 1 }, { kind: 'reset_in_body' }),
    ...everywhere({ pid: 'P2', first: 1 }, cutToFit),
    ...everywhere({ first: 1 }, gateway(502)),
  ])
  expect(await filesOf(fixture, 'broken')).toEqual(await filesOf(fixture, 'clean'))
  return fixture.cured(ran)
})

fault('backup: the pages of one project are always cut, the comments of a post fail', async (fixture) => {
  const service = await showWorld(fixture, worldTonight())
  await backup(fixture, service, 'clean')
  const ran = await backup(fixture, service, 'partial', [
    { on: 'pages.list', pid: 'P1', does: cutToFit },
    { on: 'posts.comments.list', pid: 'P2', does: serviceError(200008, 500) },
  ])
  const [clean, partial] = [await filesOf(fixture, 'clean'), await filesOf(fixture, 'partial')]
  expect(holding(partial, '--P1/pages/').size).toBe(0)
  // The first page of P2 links to a post that only a comment names.
  const others = ['--P2/pages/page-2', '--P2/pages/page-50', '--P3/']
  expect(holding(partial, ...others)).toEqual(holding(clean, ...others))
  const named = [...holding(clean, '--P2/posts/').keys()].filter((path) => !path.includes('P2-N50'))
  expect([...holding(partial, '--P2/posts/').keys()]).toEqual(named)
  const manifest = JSON.parse(partial.get('data/backup.json') ?? '')
  const broken = manifest.scopes.filter(({ status }: { status: string }) => status !== 'complete')
  expect(broken.map(({ pid, stream, status }: Record<string, string>) => [pid, stream, status]).sort()).toEqual([
    ['P1', 'pages', 'failed'],
    ['P2', 'posts', 'partial'],
  ])
  const read = projectOf(worldTonight(), 'P2').posts.filter(({ post }) => post.post_id !== 'P2-N50')
  const posts = read.map(({ post }) => ['P2', 'posts', `${post.post_id}/comments`])
  expect(
    manifest.unread_items.map(({ pid, stream, item_id }: Record<string, string>) => [pid, stream, item_id]),
  ).toEqual(posts.toSorted())
  expect(partial.get('data/csv/pages.csv')).not.toContain('P1-G')
  return fixture.named(ran, 3)
})

fault('backup: the service rejects the token when posts are read', async (fixture) => {
  const service = await showWorld(fixture, worldTonight())
  await backup(fixture, service, 'out')
  const before = await readdir(`${fixture.path}/out`)
  const ran = await backup(fixture, service, 'out', [{ on: 'posts.get', does: serviceError(100006, 400) }])
  expect(await readdir(`${fixture.path}/out`)).toEqual(before)
  return fixture.named(ran, 4)
})

fault('backup: a cache answers with the pages of another project', async (fixture) => {
  const service = await showWorld(fixture, worldTonight())
  const ran = await backup(fixture, service, 'mixed', [
    { on: 'pages.list', pid: 'P1', does: value((_, { store }) => store.project('P2').pages) },
  ])
  const files = await filesOf(fixture, 'mixed')
  expect(holding(files, '--P1/pages/').size).toBe(0)
  expect(files.get('data/backup.json')).toContain('MISDIRECTED')
  return fixture.named(ran, 3)
})
