import { describeThoroughly } from '@collab-etl/harness/thorough'
import { body, status, value } from '@collab-etl/sandbox/behaviours'
import { fault } from '../support/fault.ts'
import { loss } from './losses.ts'
import { expectNight, night, nightFault } from './night.ts'
import { everywhere, gateway, serviceError, tooMany } from './rules.ts'
import { projectOf } from './world.ts'

nightFault('500, 502, 503 and HTML of a gateway to first requests', {
  rules: [
    ...everywhere({ pid: 'P1', first: 1 }, gateway(500)),
    ...everywhere({ pid: 'P2', first: 1 }, gateway(502)),
    ...everywhere({ first: 1 }, gateway(503)),
  ],
})

nightFault('status 200 with HTML, nothing, null, another type, two values, another encoding', {
  rules: [
    {
      on: 'tasks.list',
      pid: 'P1',
      does: body(() => '<!doctype html><title>Log in</title>', { 'content-type': 'text/html' }),
    },
    { on: 'pages.list', pid: 'P1', does: body(() => '') },
    { on: 'webhooks.list', pid: 'P1', does: value(() => null) },
    { on: 'posts.get', pid: 'P1', does: value(() => []) },
    { on: 'files.get', pid: 'P1', does: value(() => ({})) },
    { on: 'tasks.list', pid: 'P2', does: value((tasks: unknown[]) => ({ data: tasks })) },
    { on: 'pages.list', pid: 'P2', does: value(() => 0) },
    { on: 'events.list', pid: 'P1', does: body((text) => `${text}${text}`) },
    { on: 'projects.get', pid: 'P2', does: body(() => 'tru') },
    { on: 'webhooks.list', pid: 'P2', does: body((text) => text, { 'content-encoding': 'gzip' }) },
    { on: 'tasks.archived.list', pid: 'P2', does: body((text) => text, { 'content-encoding': 'zstd' }) },
  ],
  args: ['--retries', '1'],
  notComplete: {
    'tasks P1': 'failed',
    'pages P1': 'failed',
    'webhooks P1': 'partial',
    'posts P1': 'partial',
    'files P1': 'partial',
    'events P1': 'failed',
    'projects P2': 'failed',
    'tasks P2': 'failed',
    'archived_tasks P2': 'failed',
    'pages P2': 'failed',
    'webhooks P2': 'failed',
  },
  isUnread: ({ pid, stream }) => pid === 'P1' && ['posts', 'files', 'webhooks'].includes(stream),
  losses: [loss('webhooks', '', '', 'null_list')],
})

nightFault('errors of the service with status 200 and 403', {
  rules: [
    { on: 'tasks.list', pid: 'P1', does: serviceError(600001, 200) },
    { on: 'pages.list', pid: 'P1', does: serviceError(100007, 403) },
    { on: 'webhooks.list', pid: 'P2', does: serviceError(100007, 200) },
  ],
  notComplete: { 'tasks P1': 'failed', 'pages P1': 'skipped', 'webhooks P2': 'failed' },
})

describeThoroughly('variations', () => {
  nightFault('429 to every request for one archive', {
    rules: [{ on: 'tasks.archived.list', pid: 'P1', does: tooMany() }],
    notComplete: { 'archived_tasks P1': 'failed' },
  })

  nightFault('rate limits as 403 or 400 with Retry-After, or with a configured code', {
    rules: [
      { on: 'projects.list', first: 1, does: status(403, 'slow down', { 'retry-after': '1' }) },
      {
        on: 'pages.list',
        first: 1,
        does: status(400, '{}', { 'retry-after': new Date(Date.now() - 60_000).toUTCString() }),
      },
      ...everywhere({ first: 1 }, serviceError(600_429, 400)),
    ],
    args: ['--rate-limit-codes', '600429'],
  })

  nightFault('status 200 without a result, to first requests', {
    rules: [
      // In any order of requests, and with the empty answer below, no request fails more often than it is retried.
      { on: 'tasks.list', pid: 'P1', first: 1, does: value(() => ({ error_code: 600001 })) },
      { on: 'tasks.archived.list', pid: 'P1', first: 1, does: value(() => ({ error_code: 600027 })) },
      { on: 'pages.list', pid: 'P1', first: 1, does: body(() => '<html>') },
      { on: 'projects.list', first: 1, does: value(() => null) },
      ...everywhere(
        { first: 1 },
        body(() => ''),
      ),
    ],
  })

  nightFault('status 203, 204, 206 and 304', {
    rules: [
      { on: 'tasks.list', pid: 'P1', does: status(204) },
      { on: 'pages.list', pid: 'P1', does: ({ response }) => void response.writeHead(206).end('[]') },
      { on: 'events.list', pid: 'P1', does: status(304) },
      {
        on: 'webhooks.list',
        does: ({ response, text }) => void response.writeHead(203, { 'content-type': 'text/plain' }).end(text),
      },
    ],
    notComplete: { 'tasks P1': 'failed', 'pages P1': 'failed', 'events P1': 'failed' },
  })

  fault('a cache answers with the records of another project', async (fixture) => {
    const mixedUp = value((_, { store, operation }) => {
      const project = store.project('P2')
      if (operation === 'projects.get') return store.view('P3').detail
      if (operation === 'events.list') return project.events.map(({ event }) => event)
      return operation === 'pages.list'
        ? project.pages
        : operation === 'tasks.list'
          ? project.tasks
          : project.archived_tasks.slice(0, 10)
    })
    const tonight = await night(fixture, {
      rules: [
        { on: ['pages.list', 'projects.get', 'tasks.archived.list'], pid: 'P1', first: 3, does: mixedUp },
        { on: ['tasks.list', 'events.list'], pid: 'P1', does: mixedUp },
      ],
      args: ['--retries', '4'],
    })
    const others = projectOf(tonight.tonight, 'P2').tasks.map(({ tid }) => loss('tasks', tid, 'pid', 'misplaced', 'P2'))
    expectNight(tonight, { notComplete: { 'tasks P1': 'failed', 'events P1': 'failed' }, losses: others })
    return fixture.named(tonight.ran, 3)
  })
})
