/** @module-tag thorough */

import { task } from '@collab-etl/harness/records'
import type { Behaviour, PageRecord, Rule, TaskRecord } from '@collab-etl/sandbox'
import { cutToFit, value } from '@collab-etl/sandbox/behaviours'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { backup, namesIn, restore, worldWithTarget } from './backup-commands.ts'
import { projectOf, showWorld } from './world.ts'

fault('restore: every second answer is reset, cut, or HTML', async (fixture) => {
  const service = await showWorld(fixture, worldWithTarget())
  await backup(fixture, service, 'out')
  const lost = (does: Rule['does'], after: number): Rule => ({
    on: ['pages.create', 'tasks.create'],
    after,
    first: after + 1,
    does,
  })
  service.follow([
    lost({ kind: 'reset', processed: true }, 1),
    lost({ kind: 'truncate' }, 3),
    lost({ kind: 'http', status: 502, processed: true }, 5),
    lost(
      value(() => null),
      6,
    ),
  ])
  const ran = await restore(fixture, service)
  expect(namesIn(service, 'P9')).toEqual(namesIn(service, 'P1'))
  return fixture.cured(ran)
})

fault('restore: the answer of a created post is lost, and posts have no list', async (fixture) => {
  const service = await showWorld(fixture, worldWithTarget())
  await backup(fixture, service, 'out')
  service.follow([{ on: 'posts.create', first: 1, does: { kind: 'reset_in_body' } }])
  const ran = await restore(fixture, service)
  expect(JSON.parse(ran.stdout).unknown).toHaveLength(1)
  service.follow([])
  expect((await restore(fixture, service)).code).toBe(3)
  expect(namesIn(service, 'P9')).toEqual(namesIn(service, 'P1'))
  return fixture.named(ran, 3)
})

fault('restore: an answer is lost, and the list that would show the task fails', async (fixture) => {
  const service = await showWorld(fixture, worldWithTarget())
  await backup(fixture, service, 'out')
  projectOf(service.store, 'P9').tasks.push({ ...task('P9', 1), name: 'of somebody else' })
  service.follow([
    { on: 'tasks.create', first: 1, does: { kind: 'reset', processed: true } },
    { on: 'tasks.list', pid: 'P9', after: 1, does: cutToFit },
  ])
  const ran = await restore(fixture, service)
  service.follow([])
  expect((await restore(fixture, service)).code).toBe(0)
  const expected = namesIn(service, 'P1')
  expect(namesIn(service, 'P9')).toEqual({ ...expected, tasks: ['of somebody else', ...expected.tasks].toSorted() })
  return fixture.named(ran)
})

/** Answers to creations that differ from the request, although the record is stored as requested. */
const FALSE_ANSWERS: readonly Rule[] = [
  { on: 'pages.create', first: 1, does: value((page: PageRecord) => ({ ...page, pid: 'P2' })) },
  {
    on: 'pages.create',
    where: ({ parent_id }) => parent_id !== undefined,
    does: value((page: PageRecord) => ({ ...page, parent_id: '' })),
  },
  {
    on: 'pages.create',
    does: value((page: PageRecord, { store }) => ({ ...page, page_id: store.project('P9').pages[0]?.page_id })),
  },
  {
    on: 'posts.create',
    first: 1,
    does: value(({ name, ...post }: { name: string }) => ({ ...post, name: name.slice(0, 3) })),
  },
  { on: 'posts.create', does: value(({ post_id }: { post_id: string }) => ({ post_id })) },
  { on: 'tasks.create', first: 1, does: value((task: TaskRecord) => ({ ...task, entry_id: 'other' })) },
  { on: 'tasks.create', does: value((task: TaskRecord) => ({ ...task, desc: `${task.desc}, changed` })) },
]

fault('restore: answers contradict what was created', async (fixture) => {
  const service = await showWorld(fixture, worldWithTarget())
  await backup(fixture, service, 'out')
  service.follow(FALSE_ANSWERS)
  const ran = await restore(fixture, service)
  const { differences, status, compared } = JSON.parse(ran.stdout)
  const named = new Set(differences.map(({ kind, field }: Record<string, string>) => `${kind} ${field}`))
  const expected = ['page page_id', 'page parent_id', 'page pid', 'post name', 'post pid', 'task desc', 'task entry_id']
  expect([...named].sort()).toEqual(expected)
  expect({ status, compared }).toEqual({ status: 'partial', compared: { page: 4, post: 3, task: 6 } })
  expect(namesIn(service, 'P9')).toEqual(namesIn(service, 'P1'))
  return fixture.named(ran, 3)
})

fault('restore: the project stores other texts than the answers repeat', async (fixture) => {
  const service = await showWorld(fixture, worldWithTarget())
  await backup(fixture, service, 'out')
  const spoilt: Behaviour = async (exchange) => {
    const { pages, posts, tasks } = projectOf(exchange.store, 'P9')
    const page = pages.at(-1)
    if (exchange.operation === 'pages.create' && page)
      Object.assign(page, { parent_id: '', content: page.content.trimEnd().slice(1) })
    const post = posts.at(-1)?.post
    if (exchange.operation === 'posts.create' && post) post.name = `${post.name} `
    const task = tasks.at(-1)
    if (exchange.operation === 'tasks.create' && task) task.desc = ''
    await value((reply) => reply)(exchange)
  }
  service.follow([{ on: ['pages.create', 'posts.create', 'tasks.create'], does: spoilt }])
  const ran = await restore(fixture, service)
  service.follow([])
  const again = await restore(fixture, service)
  for (const { stdout } of [ran, again]) {
    const { differences } = JSON.parse(stdout)
    const named = new Set(
      differences.map(({ kind, field, seen }: Record<string, string>) => `${seen} ${kind} ${field}`),
    )
    expect([...named].sort()).toEqual(['read page content', 'read page parent_id', 'read post name', 'read task desc'])
  }
  expect(again.code).toBe(3)
  return fixture.named(ran, 3)
})
