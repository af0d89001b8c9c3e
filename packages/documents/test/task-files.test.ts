import { anyCharacter } from '@collab-etl/harness/any-character'
import fc from 'fast-check'
import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { TaskFiles } from '../src/markdown/task-files.ts'
import type { Naming } from '../src/names/naming.ts'
import { anchorOf } from '../src/views/anchor.ts'
import type { TaskView } from '../src/views/task.ts'
import { textsInMemory } from './texts-in-memory.ts'

const TASK: TaskView = {
  id: 't1',
  title: 'Title',
  description: '',
  groupId: null,
  position: 1,
  archived: false,
  completed: false,
  completedAt: null,
  dueAt: null,
  createdAt: null,
  updatedAt: '2024-02-01T08:00:00.000Z',
  labels: [],
  todos: [],
  members: [],
  watchers: [],
  attachments: [],
  comments: [],
  unreadComments: 0,
  unreadFiles: 0,
}

/** The files of tasks by name, each as one text. */
async function filesOf(
  tasks: readonly Partial<TaskView>[],
  {
    groups = [],
    naming = 'id-suffix',
  }: { groups?: readonly (readonly [string, string | null])[]; naming?: Naming } = {},
): Promise<ReadonlyMap<string, string>> {
  const files = new TaskFiles(textsInMemory(), naming)
  for (const [id, title] of groups) files.addGroup(id, title, false)
  for (const task of tasks) await files.add({ ...TASK, ...task }, { ...TASK, ...task })
  const found = new Map<string, string>()
  for (const { name, pieces } of files.files('P1')) {
    let text = ''
    for await (const piece of pieces()) text += piece
    found.set(name, text)
  }
  return found
}

/** The text behind the front matter as a reader renders it: its elements, without those within others. */
function rendered(text: string): DefaultTreeAdapterTypes.Element[] {
  const body = text.slice(text.indexOf('\n---\n', 4) + 5)
  const html = micromark(body, { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousHtml: false })
  return parseFragment(html).childNodes.filter((node) => 'tagName' in node)
}

function textIn(node: DefaultTreeAdapterTypes.Node): string {
  if (node.nodeName === '#text') return (node as DefaultTreeAdapterTypes.TextNode).value
  return 'childNodes' in node ? node.childNodes.map(textIn).join('') : ''
}

describe('files of tasks', () => {
  test('are one for each group, one for tasks in none, and one for each year of archived ones', async () => {
    const files = await filesOf(
      [
        { id: 'a', groupId: 'e1' },
        { id: 'b' },
        { id: 'c', groupId: 'e1', archived: true },
        { id: 'd', archived: true, updatedAt: null },
        { id: 'f', archived: true, updatedAt: null, createdAt: '2023-05-01T08:00:00.000Z' },
        { id: 'e', groupId: 'lost' },
      ],
      { groups: [['e1', 'Doing']] },
    )
    expect([...files.keys()]).toEqual([
      ...['untitled--lost', 'doing--e1', 'no-group'],
      ...['archive-2023', 'archive-2024', 'archive-undated'],
    ])
    expect(files.get('archive-2024')).toContain('- Task group: Doing')
  })

  test('name the attachments of a task, and count those that the service does not name', async () => {
    const attachments = [
      { fid: 'f1', name: 'plan *v2*.pdf' },
      { fid: 'f2', name: null },
    ]
    const section = (
      await filesOf([
        { attachments, unreadFiles: 1 },
        { id: 't2', attachments, unreadComments: 0 },
      ])
    ).get('no-group')
    const list = '- Attachments: plan \\*v2\\*.pdf (file `f1`), unnamed file (file `f2`)\n'
    expect(section?.split(list)).toHaveLength(3)
    expect(section?.match(/Not in the backup: .*/g)).toEqual(['Not in the backup: 0 comments, 1 attachment'])
  })

  test('have tags for Obsidian where names are plain: their kind, and each label once', async () => {
    const labels = ['red', 'two words!', 'Red', '#1', '  ', '🙂', '产品'].map((name) => ({ name, description: null }))
    const tasks = [{ labels }, { id: 't2', labels: labels.slice(0, 1) }]
    const aboutIn = (text = '') => parse(text.slice(4, text.indexOf('\n---\n', 4)))
    const plain = aboutIn((await filesOf(tasks, { naming: 'plain' })).get('no-group'))
    expect(plain.tags).toEqual(['tasks', 'label/1', 'label/Red', 'label/two-words', 'label/产品'])
    expect(aboutIn((await filesOf(tasks)).get('no-group'))).not.toHaveProperty('tags')
  })

  test('have tasks in the order of their positions, those without one last', async () => {
    const tasks = [
      { id: 'a', title: 'third', position: null },
      { id: 'b', title: 'second', position: 2 },
      { id: 'c', title: 'first', position: -1 },
    ]
    const text = (await filesOf(tasks)).get('no-group') ?? ''
    expect([...text.matchAll(/^## (.*)$/gm)].map(([, title]) => title)).toEqual(['first', 'second', 'third'])
  })

  test.each(['No-Group', 'archive-2024', 'Archıve-undated', 'ARCHIVE-1999'])(
    'of a group that is called %s have a name of their own',
    async (title) => {
      const files = await filesOf([{ id: 'a', groupId: 'e1' }, { id: 'b' }, { id: 'c', archived: true }], {
        groups: [['e1', title]],
        naming: 'plain',
      })
      expect(new Set([...files.keys()].map((name) => name.toLowerCase().replace('ı', 'i'))).size).toBe(3)
      expect([...files.keys()][0]).toMatch(/ \([0-9a-f]{8}\)$/)
    },
  )

  test('keep their structure with any titles, names and descriptions', async () => {
    const markup = fc.constantFrom(
      ...['# a', '\n## b', '```', '> q', '- [x] c', '[x]: /u', '<div>', '<!--', '---', '| a |', '\t', '\r', '***'],
    )
    const text = fc.array(fc.oneof(markup, fc.string({ unit: anyCharacter, maxLength: 5 })), { maxLength: 6 })
    const hostile = text.map((parts) => parts.join('').toWellFormed())
    await fc.assert(
      fc.asyncProperty(hostile, hostile, hostile, async (title, description, name) => {
        const task = {
          title,
          description,
          members: [{ uid: name, name }],
          labels: [{ name, description: title }],
          todos: [{ id: '1', name: title, checked: true, position: null }],
        }
        const files = await filesOf(
          [
            { ...task, id: name, groupId: name },
            { id: 'last', position: 2, groupId: name },
          ],
          {
            groups: [[name, title]],
          },
        )
        const [[, file = ''] = []] = files
        const elements = rendered(file)
        const names = elements.map(({ tagName }) => tagName).filter((tag) => tag !== 'p')
        const quote = /[^\s]/.test(description) ? ['blockquote'] : []
        expect(names).toEqual(['h1', 'h2', 'ul', ...quote, 'ul', 'h2', 'ul'])
        const headings = elements.filter(({ tagName }) => /^h\d$/.test(tagName)).map(textIn)
        expect(headings.map((heading) => heading === 'Untitled')).toEqual([
          /^[\s\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]*$/u.test(title),
          /^[\s\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]*$/u.test(title),
          false,
        ])
        expect(parse(file.slice(4, file.indexOf('\n---\n', 4)))).toMatchObject({ id: name, title, tasks: 2, done: 0 })
      }),
      { numRuns: 200 },
    )
  })

  test('give a code block that begins with tabs the same content', async () => {
    const [[, file = ''] = []] = await filesOf([{ description: 'a\n\n\tcode\n\t\tmore' }])
    const quote = rendered(file).find(({ tagName }) => tagName === 'blockquote')
    expect(quote && textIn(quote)).toContain('code\n    more')
  })

  test('have an anchor for each task, and two ids never the same one', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter }), (a, b) => {
        expect(anchorOf('task', a)).toMatch(/^task-[A-Za-z0-9._~-]*$/)
        expect(anchorOf('task', a) === anchorOf('task', b)).toBe(a === b)
      }),
    )
  })
})
