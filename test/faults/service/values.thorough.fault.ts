/** @module-tag thorough */

import { parseExactJson } from '@collab-etl/contract/exact-json'
import type { PageRecord, TaskRecord } from '@collab-etl/sandbox'
import { body, gzipBomb, value } from '@collab-etl/sandbox/behaviours'
import { fault } from '../support/fault.ts'
import { firstOf, loss } from './losses.ts'
import { expectNight, night, nightFault } from './night.ts'
import { projectOf, worldBefore, worldTonight } from './world.ts'

fault('repeated fields, unknown ones, and names such as `__proto__`', async (fixture) => {
  const unknown =
    '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":1}},"extra":[1,"x"],"colour":"red"'
  // V8 may confuse a field name with an escape with one of an earlier answer
  const odd = ({ tid }: { tid?: unknown }) => ({ [Number(String(tid).slice(-1)) % 2 === 0 ? '\\' : '\n']: tid })
  const tonight = await night(fixture, {
    rules: [
      {
        on: 'pages.list',
        pid: 'P1',
        does: body((text) => text.replace('"name":', `${unknown},"name":"not this","name":`)),
      },
      {
        on: 'tasks.archived.list',
        pid: 'P1',
        does: value((tasks: TaskRecord[]) => tasks.map((task) => ({ ...task, ...odd(task) }))),
      },
    ],
  })
  expectNight(tonight, {
    except: ({ pages = [], tasks = [] }) => {
      for (const row of pages) if (row['page_id'] === 'P1-G1') row['extra'] = JSON.parse(`{${unknown}}`)
      for (const row of tasks) if (row['pid'] === 'P1' && row['archived'] === true) row['extra'] = odd(row)
    },
    losses: [loss('pages', 'P1-G1', 'name', 'repeated_field', 'not this')],
  })
  return fixture.cured(tonight.ran)
})

fault('U+0000 and lone surrogates in texts and ids', async (fixture) => {
  const world = worldTonight()
  const stored = worldTonight()
  const [sent, kept] = [firstOf(world), firstOf(stored)]
  sent.page.name = 'a\0b'
  sent.page.content += ' \ud83d, cut'
  sent.task.todos = [{ todo_id: 'todo\0', name: '\udc00', checked: 0, pos: 1 }]
  kept.page.name = 'a\ufffdb'
  kept.page.content += ' \ufffd, cut'
  kept.task.todos = [{ todo_id: 'todo\ufffd', name: '\ufffd', checked: 0, pos: 1 }]
  const tonight = await night(fixture, { rules: [], world })
  expectNight(tonight, {
    tonight: stored,
    losses: [
      loss('pages', 'P1-G1', 'name', 'nul_character', sent.page.name),
      loss('pages', 'P1-G1', 'content', 'lone_surrogate', sent.page.content),
      loss('tasks', 'P1-T1', 'todos[0].todo_id', 'nul_character', 'todo\0'),
      loss('tasks', 'P1-T1', 'todos[0].name', 'lone_surrogate', '\udc00'),
    ],
  })
  return fixture.cured(tonight.ran)
})

fault('values of another type: numbers as text, texts as numbers, lists as objects', async (fixture) => {
  const stored = worldTonight()
  const { task } = firstOf(stored)
  const tonight = await night(fixture, {
    rules: [
      {
        on: 'tasks.list',
        pid: 'P1',
        does: body((text) => {
          const [first, ...others] = JSON.parse(text)
          const badges = { ...first.badges, comment_count: 5e9, file_count: '3' }
          const sent = {
            ...first,
            pos: '1024.5',
            completed: 'true',
            name: 77,
            labels: { red: 1 },
            badges,
            desc: null,
          }
          return JSON.stringify([sent, ...others]).replace('"todo_count":1', '"todo_count":1e400')
        }),
      },
    ],
  })
  Object.assign(task, { name: '77', labels: [], desc: null, completed: 1 })
  const { comment_count, todo_count } = firstOf(worldBefore()).task.badges
  Object.assign(task.badges, { comment_count, file_count: 3, todo_count })
  expectNight(tonight, {
    tonight: stored,
    losses: [
      loss('tasks', 'P1-T1', 'pos', 'coerced', '1024.5'),
      loss('tasks', 'P1-T1', 'completed', 'coerced', 'true'),
      loss('tasks', 'P1-T1', 'name', 'coerced', 77),
      loss('tasks', 'P1-T1', 'labels', 'unreadable', { red: 1 }),
      loss('tasks', 'P1-T1', 'desc', 'missing', null),
      loss('tasks', 'P1-T1', 'badges.file_count', 'coerced', '3'),
      loss('tasks', 'P1-T1', 'badges.comment_count', 'unreadable', 5e9),
      { ...loss('tasks', 'P1-T1', 'badges.todo_count', 'unreadable', 0), original: '1e400' },
    ],
  })
  return fixture.cured(tonight.ran)
})

fault('numbers of 20 digits, near 2^53, tiny, huge, and -0', async (fixture) => {
  const kept =
    '"big":12345678901234567890,"near":[9007199254740993,{"far":0.1000000000000000055}],"tiny":1.5e-400,"huge":-1e400'
  const stored = worldTonight()
  const tonight = await night(fixture, {
    rules: [
      {
        on: 'pages.list',
        pid: 'P1',
        does: body((text) => text.replace('"name":', `${kept},"minus":-0,"beyond":1e200000,"name":`)),
      },
      {
        on: 'tasks.list',
        pid: 'P1',
        does: body((text) =>
          text
            .replace(/"entry_id":"[^"]*"/, '"entry_id":12345678901234567890')
            .replace(/"pos":[\d.]+,"completed_date"/, '"pos":0.1000000000000000055,"completed_date"'),
        ),
      },
    ],
  })
  const { task } = firstOf(stored)
  Object.assign(task, { entry_id: '12345678901234567890', pos: 0.1 })
  const written = kept.replace('1.5e-400', `0.${'0'.repeat(399)}15`).replace('1e400', `1${'0'.repeat(400)}`)
  expectNight(tonight, {
    tonight: stored,
    except: ({ pages = [] }) => {
      const extra = parseExactJson(`{${written},"minus":0,"beyond":null}`)
      for (const row of pages) if (row['page_id'] === 'P1-G1') row['extra'] = extra
    },
    losses: [
      { ...loss('pages', 'P1-G1', 'minus', 'rounded'), original: '-0' },
      { ...loss('pages', 'P1-G1', 'beyond', 'out_of_range'), original: '1e200000' },
      { ...loss('tasks', 'P1-T1', 'entry_id', 'coerced'), original: '12345678901234567890' },
      { ...loss('tasks', 'P1-T1', 'pos', 'rounded'), original: '0.1000000000000000055' },
    ],
  })
  return fixture.cured(tonight.ran)
})

fault('dates that do not exist', async (fixture) => {
  const world = worldTonight()
  const stored = worldTonight()
  const [sent, kept] = [firstOf(world).task, firstOf(stored).task]
  sent.created_at = 'yesterday'
  sent.updated_at = '2025-02-30T00:00:00.000Z'
  sent.expire_date = '+012025-01-01T00:00:00.000Z'
  Object.assign(kept, { created_at: null, updated_at: null, expire_date: null })
  const event = projectOf(world, 'P1').events[0]?.event
  if (event === undefined) throw new Error('the world has no event')
  event.start = 'never'
  const { events: keptEvents } = projectOf(stored, 'P1')
  for (const { event: meeting } of keptEvents) if (meeting.event_id === event.event_id) meeting.name = 'Meeting 1'
  const tonight = await night(fixture, { rules: [], world })
  expectNight(tonight, {
    tonight: stored,
    except: ({ tasks = [] }) => {
      const due = { expire_date: firstOf(worldTonight()).task.expire_date }
      for (const row of tasks) if (row['tid'] === 'P1-T1') Object.assign(row, { extra: { badges: due } })
    },
    losses: [
      loss('tasks', 'P1-T1', 'created_at', 'invalid_timestamp', sent.created_at),
      loss('tasks', 'P1-T1', 'updated_at', 'invalid_timestamp', sent.updated_at),
      loss('tasks', 'P1-T1', 'expire_date', 'out_of_range', sent.expire_date),
      loss('events', 'P1-V1', '', 'unkeyed', event),
    ],
    notComplete: { 'events P1': 'partial' },
  })
  return fixture.named(tonight.ran, 3)
})

fault('a page of 10 MB, a name of a megabyte, 190 nested levels', async (fixture) => {
  const world = worldTonight()
  const { page, task } = firstOf(world)
  page.content += `\n${'0123456789 äöü 中文 😀\n'.repeat(300_000)}`
  task.name = 'n'.repeat(1_000_000)
  const nested = `${'{"a":['.repeat(95)}"deep"${']}'.repeat(95)}`
  const tonight = await night(fixture, {
    rules: [{ on: 'tasks.list', pid: 'P1', does: body((text) => text.replace('{', `{"nested":${nested},`)) }],
    world,
  })
  expectNight(tonight, {
    except: ({ tasks = [] }) => {
      for (const row of tasks) if (row['tid'] === 'P1-T1') row['extra'] = JSON.parse(`{"nested":${nested}}`)
    },
  })
  return fixture.cured(tonight.ran)
})

fault('a hundred thousand nested levels', async (fixture) => {
  const { page, task } = firstOf(worldTonight())
  const abyss = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  const tonight = await night(fixture, {
    rules: [
      { on: 'pages.list', pid: 'P1', does: body((text) => text.replace('{', `{"unknown":${abyss},`)) },
      { on: 'tasks.list', pid: 'P1', does: body((text) => text.replace(/"labels":\[[^\]]*\]/, `"labels":${abyss}`)) },
      { on: 'webhooks.list', pid: 'P1', does: body(() => abyss) },
    ],
  })
  expectNight(tonight, {
    notComplete: { 'pages P1': 'partial', 'tasks P1': 'partial', 'webhooks P1': 'failed' },
    isUnread: ({ row }) => row['tid'] === task.tid || row['page_id'] === page.page_id,
    losses: [
      loss('pages', page.page_id, '', 'unreadable', { unknown: null, ...page }),
      loss('tasks', task.tid, '', 'unreadable', { ...task, labels: null }),
      loss('webhooks', '#0', '', 'unreadable', [null]),
      { pid: 'P1', stream: 'pages', record_key: 'P1-G2', field: 'parent_id', kind: 'unlisted' },
    ],
  })
  return fixture.named(tonight.ran, 3)
})

fault('answers in Latin-1 and UTF-16', async (fixture) => {
  const world = worldTonight()
  const stored = worldTonight()
  firstOf(world).page.name = 'Café Müller'
  firstOf(stored).page.name = 'Caf\ufffd M\ufffdller'
  for (const page of projectOf(world, 'P1').pages) page.watchers = page.owner.uid === 'U1' ? [] : page.watchers
  const tonight = await night(fixture, {
    rules: [
      { on: 'pages.list', pid: 'P1', does: body((text) => Buffer.from(text.replaceAll('Ü', 'U'), 'latin1')) },
      { on: 'tasks.list', pid: 'P2', does: body((text) => Buffer.from(`\ufeff${text}`, 'utf16le')) },
    ],
    world,
  })
  for (const page of projectOf(stored, 'P1').pages) page.watchers = []
  expectNight(tonight, {
    tonight: stored,
    notComplete: { 'tasks P2': 'failed' },
    losses: [loss('pages', 'P1-G1', 'name', 'invalid_utf8', 'Café Müller')],
  })
  return fixture.named(tonight.ran, 3)
})

nightFault('a megabyte that decompresses to a gigabyte', {
  rules: [{ on: 'tasks.list', pid: 'P1', does: gzipBomb }],
  notComplete: { 'tasks P1': 'failed' },
})

fault('records without an id, or that are no records', async (fixture) => {
  const project = projectOf(worldTonight(), 'P1')
  const { tid, ...task } = project.tasks[2] ?? {}
  const page = project.pages.find(({ page_id }) => page_id === 'P1-G50') as PageRecord // it is in the world
  const tonight = await night(fixture, {
    rules: [
      {
        on: 'tasks.list',
        pid: 'P1',
        does: value((tasks: TaskRecord[]) => tasks.map(({ tid, ...task }, n) => (n === 2 ? task : { tid, ...task }))),
      },
      { on: 'webhooks.list', pid: 'P1', does: value((webhooks: unknown[]) => [...webhooks, 7]) },
      { on: 'pages.list', pid: 'P1', does: body((text) => text.replace('"P1-G50"', 'true')) },
    ],
  })
  expectNight(tonight, {
    notComplete: { 'tasks P1': 'partial', 'webhooks P1': 'partial', 'pages P1': 'partial' },
    isUnread: ({ row }) => row['tid'] === tid || row['page_id'] === 'P1-G50',
    losses: [
      loss('tasks', '#2', '', 'unkeyed', task),
      loss('webhooks', `#${project.webhooks.length}`, '', 'unkeyed', 7),
      loss('pages', `#${project.pages.indexOf(page)}`, '', 'unkeyed', { ...page, page_id: true }),
    ],
  })
  return fixture.named(tonight.ran, 3)
})

fault('each page twice in a list', async (fixture) => {
  const stored = worldTonight()
  const { page } = firstOf(stored)
  page.name = 'the later one'
  const tonight = await night(fixture, {
    rules: [
      {
        on: 'pages.list',
        pid: 'P1',
        does: value((pages: PageRecord[]) => [
          ...pages,
          ...pages.map((one, n) => (n === 0 ? { ...one, name: page.name } : one)),
        ]),
      },
    ],
  })
  expectNight(tonight, {
    tonight: stored,
    losses: projectOf(stored, 'P1').pages.map(({ page_id }) => loss('pages', page_id, '', 'duplicate')),
  })
  return fixture.cured(tonight.ran)
})
