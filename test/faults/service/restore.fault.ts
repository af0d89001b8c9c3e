import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { backup, namesIn, restore, serviceFor, worldWithTarget } from './backup-commands.ts'
import { gateway, value } from './hostile-service/answers-amiss.ts'
import * as connections from './hostile-service/connections.ts'
import { task } from './hostile-service/make-records.ts'
import type { Page, Task } from './hostile-service/records.ts'
import type { Behaviour, Rule } from './hostile-service/rule.ts'
import { projectOf } from './hostile-service/world.ts'

fault('restore: every second answer is reset, cut, or HTML', async (fixture) => {
  const service = await serviceFor(fixture, worldWithTarget())
  await backup(fixture, service, 'out')
  const lost = (does: Behaviour, after: number): Rule => ({
    on: ['create_page', 'create_task'],
    after,
    first: after + 1,
    does,
  })
  service.follow([
    lost(connections.resetBeforeHeaders, 1),
    lost(connections.cutShort, 3),
    lost(gateway(502), 5),
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
  const service = await serviceFor(fixture, worldWithTarget())
  await backup(fixture, service, 'out')
  service.follow([{ on: 'create_post', first: 1, does: connections.resetInBody }])
  const ran = await restore(fixture, service)
  expect(JSON.parse(ran.stdout).unknown).toHaveLength(1)
  service.follow([])
  expect((await restore(fixture, service)).code).toBe(3)
  expect(namesIn(service, 'P9')).toEqual(namesIn(service, 'P1'))
  return fixture.named(ran, 3)
})

fault('restore: an answer is lost, and the list that would show the task fails', async (fixture) => {
  const service = await serviceFor(fixture, worldWithTarget())
  await backup(fixture, service, 'out')
  projectOf(service.world, 'P9').tasks.push({ ...task('P9', 1, 'open'), name: 'of somebody else' })
  service.follow([
    { on: 'create_task', first: 1, does: connections.resetBeforeHeaders },
    { on: 'tasks', pid: 'P9', after: 1, does: connections.cutToFit },
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
  { on: 'create_page', first: 1, does: value((page: Page) => ({ ...page, pid: 'P2' })) },
  {
    on: 'create_page',
    where: ({ parent_id }) => parent_id !== undefined,
    does: value((page: Page) => ({ ...page, parent_id: '' })),
  },
  { on: 'create_page', does: value((page: Page) => ({ ...page, page_id: 'P9-G900' })) },
  {
    on: 'create_post',
    first: 1,
    does: value(({ name, ...post }: { name: string }) => ({ ...post, name: name.slice(0, 3) })),
  },
  { on: 'create_post', does: value(({ post_id }: { post_id: string }) => ({ post_id })) },
  { on: 'create_task', first: 1, does: value((task: Task) => ({ ...task, entry_id: 'other' })) },
  { on: 'create_task', does: value((task: Task) => ({ ...task, desc: `${task.desc}, changed` })) },
]

fault('restore: answers contradict what was created', async (fixture) => {
  const service = await serviceFor(fixture, worldWithTarget())
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
  const service = await serviceFor(fixture, worldWithTarget())
  await backup(fixture, service, 'out')
  const spoilt: Behaviour = async (exchange) => {
    const { pages, posts, tasks } = projectOf(exchange.world, 'P9')
    const page = pages.at(-1)
    if (exchange.operation === 'create_page' && page)
      Object.assign(page, { parent_id: '', content: page.content.trimEnd().slice(1) })
    const post = posts.at(-1)?.post
    if (exchange.operation === 'create_post' && post) post.name = `${post.name} `
    const task = tasks.at(-1)
    if (exchange.operation === 'create_task' && task) task.desc = ''
    await value((reply) => reply)(exchange)
  }
  service.follow([{ on: ['create_page', 'create_post', 'create_task'], does: spoilt }])
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
