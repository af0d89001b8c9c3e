import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Format } from '@collab-etl/backups'
import { NO_CHROMIUM, openTab } from '@collab-etl/harness/chromium'
import { scratch } from '@collab-etl/harness/scratch'
import { describe, expect, test } from 'vitest'
import type { BackupOptions } from '../src/backup/options.ts'
import { goldenSource } from './golden-source.ts'
import { BEFORE, bagOf, earlierAt, NIGHT, type Rows, reportOf, state, WITH_ISSUES } from './report-bags.ts'
import { commentRow, eventRow, fileRow, handMadeSource, pageRow, postRow, projectRow, taskRow } from './rows.ts'

/** Without markup, one line for each line of text. */
const textOf = (html: string) =>
  html
    .replace(/<style>.*<\/style>/s, '')
    .replace(/<script>.*<\/script>/s, '')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replace(/\n{2,}/g, '\n')

const AFTER: Rows = {
  ...BEFORE,
  pages: [
    pageRow('p', 'a', 'Goal', { content: '# Target\n' }),
    pageRow('p', 'b', 'Links', { content: '[it](/pages/a)' }),
    pageRow('p', 'd', 'Fresh'),
  ],
  post_comments: [commentRow('p', '1', 'c1')],
  tasks: [taskRow('p', 't1', 'Do it', { completed: true }), taskRow('p', 't2', 'Keep it', { entry_id: 'g' })],
  events: [eventRow('p', 'e', '2026-01-05T10:00:00.000Z', 'Meeting')],
  files: [],
}

/** Records whose place depends on more than their id. */
const PLACED: Rows = {
  pages: [pageRow('p', 'a', 'A')],
  posts: [postRow('p', '1', 'News')],
  entries: [{ pid: 'p', entry_id: 'g', name: 'Doing <it>' }],
  tasks: [
    taskRow('p', 'a1', 'Old', { archived: true, entry_id: 'g' }),
    taskRow('p', 'a2', 'Older', { archived: true, updated_at: null, created_at: '2019-12-31T23:59:59.000Z' }),
    taskRow('p', 'a3', null, { archived: true, updated_at: null, created_at: null }),
    taskRow('p', 't1', '=In "group"', { entry_id: 'g' }),
    taskRow('p', 't2', 'In none'),
    taskRow('p', 't3', 'In a group that is gone', { entry_id: 'lost' }),
  ],
  events: [
    eventRow('p', 'e1', '2025-12-31T09:00:00.000Z', 'Weekly'),
    eventRow('p', 'e1', '2026-01-07T09:00:00.000Z', 'Weekly'),
    eventRow('p', 'e2', '2026-01-05T09:00:00.000Z', 'Once'),
  ],
  files: [fileRow('p', 'd', 'Folder', { type: 1 }), fileRow('p', 'f', 'plan.pdf', { folder_id: 'd' })],
}

/** A place that a fragment leads to: an element, or a heading of Markdown. */
const anchorIn = (anchor: string) => new RegExp(`id="${anchor}"|^## ${anchor}$`, 'm')

/** The id of a page, post or task. */
const ID_AT_END = /(?:--|task-)(?:a|1|[at][123])(?:\.\w+)?$/

/** What the report of the later state lists. */
async function changesIn(options: Partial<BackupOptions>): Promise<{ html: string; lines: readonly string[] }> {
  const earlier = earlierAt(await bagOf(state(BEFORE), { options }))
  const html = await reportOf(await bagOf(state(AFTER), { options, earlier }))
  const lines = textOf(html)
    .split('\n')
    .filter((line) => /^(?:page|post|task|event|file) (?:added|removed|moved|renamed|changed)/.test(line))
  return { html, lines }
}

describe('the report', () => {
  test('names what changed since the previous backup, linked to its file', async () => {
    const { html, lines } = await changesIn({})
    expect(lines).toEqual([
      'event changed Meeting starts_at',
      'file removed plan.pdf',
      'page renamed Goal formerly "Target"',
      'page removed Gone',
      'page added Fresh',
      'post changed News comments 0 → 1',
      'task changed Do it completed',
      'task moved Keep it task group: none → g',
    ])
    expect(html).toContain(`Changes since the previous backup, ${NIGHT}:`)
    expect(html).toMatch(/<a href="markdown\/project--p\/pages\/goal--a\.md"><bdi>Goal<\/bdi>/)
    expect(html).toMatch(/<bdi>Gone<\/bdi><\/span>/)
  })

  test.each<[string, Format[], number]>([
    ['JSON lines', ['jsonl'], 8],
    ['Markdown, in which a link to a renamed page is a change', ['markdown'], 5],
  ])('compares by %s if there is no CSV', async (_what, formats, count) => {
    const { lines } = await changesIn({ formats: new Set(formats) })
    expect(lines).toHaveLength(count)
    expect(lines).toContain('page added Fresh')
  })

  test('links to the HTML site if there is one, and says what cannot be compared', async () => {
    const { html, lines } = await changesIn({ formats: new Set(['html']) })
    expect(lines).toEqual([])
    expect(html).toContain(`No kind of record could be compared with the previous backup, ${NIGHT}`)
    expect(html).toContain('<a href="html/project--p/index.html"><bdi>Project</bdi></a>')
  })

  test.each<[string, Format[]]>([
    ['HTML', ['csv', 'markdown', 'html']],
    ['HTML, compared by JSON lines', ['jsonl', 'html']],
    ['Markdown', ['csv', 'markdown']],
    ['Markdown, compared by JSON lines', ['jsonl', 'markdown']],
  ])('links every changed record to its place in the %s of the backup', async (_what, formats) => {
    const options = { formats: new Set(formats) }
    const earlier = earlierAt(await bagOf(state({}), { options }))
    const bag = await bagOf(state(PLACED), { options, earlier })
    const items = [
      ...(await reportOf(bag)).matchAll(
        /<li><span class="tag" data-t><span data-t>(\w+)<\/span> <span data-t>added<.*/g,
      ),
    ]
    expect(items.map(([, kind]) => kind)).toEqual([
      ...['event', 'event', 'file', 'file', 'page', 'post', 'task', 'task', 'task', 'task', 'task', 'task'],
    ])
    for (const [item] of items) {
      const [, address = ''] = /<a href="([^"]*)"/.exec(item) ?? []
      const [path = '', anchor] = decodeURIComponent(address).split('#')
      const text = await readFile(join(bag, 'data', path), 'utf8')
      if (anchor !== undefined) expect(text).toMatch(anchorIn(anchor))
      if (!/(?:files|events)[^/]*$/.test(path)) expect(anchor ?? path).toMatch(ID_AT_END)
    }
  })

  test('does not link records of kinds that have no documents', async () => {
    const options = { formats: new Set<Format>(['csv']) }
    const earlier = earlierAt(await bagOf(state({}), { options }))
    expect(await reportOf(await bagOf(state(PLACED), { options, earlier }))).not.toMatch(/<a href="(?!backup\.json)/)
  })

  test('says that nothing differs only of what was compared', async () => {
    const earlier = earlierAt(await bagOf(state(BEFORE), { options: { content: new Set(['pages', 'tasks']) } }))
    const text = textOf(await reportOf(await bagOf(state(BEFORE), { earlier })))
    expect(text).toContain(`No difference from the previous backup, ${NIGHT}, in pages and tasks.`)
    expect(text).toContain('Events, not covered by the previous backup')
  })

  test('names projects that are new or gone', async () => {
    const projects = (...pids: string[]) =>
      handMadeSource({ tables: { projects: pids.map((pid) => projectRow(pid, `<${pid}>`)) } })
    const earlier = earlierAt(await bagOf(projects('a', 'b')))
    const text = textOf(await reportOf(await bagOf(projects('b', 'c'), { earlier })))
    expect(text).toMatch(/Projects that are new\n&lt;c&gt;\n/)
    expect(text).toMatch(/Projects that are no longer in the backup\n&lt;a&gt;\n/)
  })

  test('names 50 records of a kind in a project, and counts the others', async () => {
    const pages = Array.from({ length: 60 }, (_, n) => pageRow('p', `n${100 + n}`, `Page ${n}`))
    const earlier = earlierAt(await bagOf(state({})))
    const html = await reportOf(await bagOf(state({ pages }), { earlier }))
    expect(textOf(html).match(/page added/g)).toHaveLength(50)
    expect(textOf(html)).toContain('and 10 more pages: collab-export diff lists them')
  })
})

describe('a previous backup', () => {
  test('with damage is not compared, and does not fail the backup', async () => {
    const before = await bagOf(state(BEFORE))
    await appendFile(join(before, 'data/csv/tasks.csv'), 'more')
    const text = textOf(await reportOf(await bagOf(state(AFTER), { earlier: earlierAt(before) })))
    expect(text).toContain(`Not compared with the previous backup, ${NIGHT}: it is damaged: data/csv/tasks.csv is`)
  })

  test('that is gone, or whose tag files are damaged, is not compared either', async () => {
    const gone = textOf(
      await reportOf(await bagOf(state(AFTER), { earlier: earlierAt(join(await scratch(), 'gone')) })),
    )
    expect(gone).toContain(`the previous backup, ${NIGHT}: it`)
    const damaged = earlierAt(await bagOf(state(BEFORE)), 'it is damaged: bagit.txt is missing')
    expect(await reportOf(await bagOf(state(AFTER), { earlier: damaged }))).toContain(
      'it is damaged: bagit.txt is missing',
    )
  })

  test('with the same bytes has the same report', async () => {
    const before = await bagOf(state(BEFORE), { earlier: earlierAt(await bagOf(state({}))) })
    const again = await bagOf(state(BEFORE), { earlier: earlierAt(before) })
    expect(await reportOf(again)).toBe(await reportOf(before))
    expect(await readFile(join(again, 'manifest-sha256.txt'))).toEqual(
      await readFile(join(before, 'manifest-sha256.txt')),
    )
  })

  test('with the same bytes of an earlier reading has a report of its own', async () => {
    const options = { formats: new Set<Format>(['csv']) }
    const earlier = earlierAt(
      await bagOf(state(BEFORE), { options, earlier: earlierAt(await bagOf(state({}), { options })) }),
    )
    const source = state(BEFORE)
    const later = { ...source.origin, readAt: '2031-05-06T07:08:09.000Z' }
    const text = textOf(await reportOf(await bagOf(Object.assign(source, { origin: later }), { options, earlier })))
    expect(text).toContain('2031-05-06')
    expect(text).toContain(`No difference from the previous backup, ${NIGHT}`)
  })
})

const HOSTILE = '<img src=x onerror="document.title=1">\u202E</bdi></style><script>document.title=2</script>'

test.skipIf(NO_CHROMIUM)('names, ids and messages of the service are inert in the report', async () => {
  const row = (id: string, name: string) => pageRow('p', id, name, { content: `[x](/pages/<gone>)` })
  const source = (name: string) =>
    handMadeSource({
      tables: { projects: [projectRow('p', name)], pages: [row(HOSTILE, name), row('a', name)] },
      scopes: [{ pid: 'p', stream: 'posts', status: 'failed', error: { code: HOSTILE, message: HOSTILE } }],
      losses: [{ pid: 'p', stream: 'pages', record_key: HOSTILE, field: HOSTILE, kind: HOSTILE, original: null }],
    })
  const earlier = earlierAt(await bagOf(source('before')))
  const bag = await bagOf(source(HOSTILE), { earlier })
  const html = await reportOf(bag)
  expect(html.slice(html.indexOf('<body'))).not.toMatch(/<img|<script|\u202E/)
  expect(html.match(/onerror/g)?.length).toBeGreaterThan(6)
  const { page } = await openTab({ bypassCSP: true })
  await page.goto(pathToFileURL(join(bag, 'data/report.html')).href)
  expect(await page.title()).toBe('Backup report')
})

test('what is missing is said in words, with what to do, by project', async () => {
  const bag = await bagOf(goldenSource())
  const text = textOf(await reportOf(bag))
  expect(text).toContain('Not complete: 1 of 3 lists was not read completely.')
  expect(text).toMatch(/Posts: could not be read \(900004: getting post detail failed\)\.\nProjects: 产品/)
  expect(text).toContain('Values of another type or form than documented: converted (1, coerced)')
  const readme = await readFile(join(bag, 'data/markdown/README.md'), 'utf8')
  expect(readme).toMatch(
    /^# Projects \(2\)\n\nThe state of .*2 projects, 7 pages.* Not complete: .*\[Report\]\(\.\.\/report\.html\)\n/,
  )
})

test('names the record of each conversion issue by title and project, and what was there', async () => {
  const text = textOf(await reportOf(await bagOf(handMadeSource(WITH_ISSUES))))
  const lines = text
    .split('\n')
    .filter((line) => /^(?:comment on )?(?:page|post|task|event|webhook) .* ?(?:in Road|field)/.test(line))
  expect(lines.sort()).toEqual([
    'comment on post News in Road Map, field raw_message, to /pages/away',
    'event Later meeting in Road Map, field end, was x',
    'page Guide in Road Map, field content, to /pages/lost',
    'page Untitled in Road Map, field name, was null',
    'page all records in Road Map, field time, 1,200 records',
    'task Keep &lt;it&gt; in Road Map, field pos, was 1e400',
    'task Old in Road Map, field description, to /posts/99',
    'task gone in Road Map',
    'webhook w field url, was 1',
  ])
})

test.each<Format>(['markdown', 'html'])('links the record of each conversion issue to its %s file', async (format) => {
  const bag = await bagOf(handMadeSource(WITH_ISSUES), { options: { formats: new Set([format]) } })
  const [, issues = ''] = (await reportOf(bag)).split('<h2 id="issues"')
  const addresses = [...issues.matchAll(/<a href="([^"]*)"><bdi>/g)].map(([, address = '']) => address)
  expect(addresses.length).toBeGreaterThan(5)
  for (const address of addresses) {
    const [path = '', anchor] = decodeURIComponent(address).split('#')
    const text = await readFile(join(bag, 'data', path), 'utf8')
    if (anchor !== undefined) expect(text).toMatch(anchorIn(anchor))
  }
})

test('streams that are missing for one reason in the same projects are one entry', async () => {
  const error = { code: 'NO_PERMISSION', message: 'permission 0' }
  const scope = (pid: string, stream: 'pages' | 'posts' | 'tasks') =>
    ({ pid, stream, status: 'skipped', error }) as const
  const source = handMadeSource({
    tables: { projects: [projectRow('p', 'One'), projectRow('q', 'Two')] },
    scopes: [scope('p', 'pages'), scope('p', 'posts'), scope('p', 'tasks'), scope('q', 'pages'), scope('q', 'posts')],
  })
  const text = textOf(await reportOf(await bagOf(source)))
  expect(text.match(/^.* not read, .*\nProjects: .*$/gm)).toEqual([
    'Tasks: not read, because the token has no permission (NO_PERMISSION: permission 0).\nProjects: One',
    'Pages and posts: not read, because the token has no permission (NO_PERMISSION: permission 0).\nProjects: One, Two',
  ])
})
