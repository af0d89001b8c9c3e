import { compareBytes } from '@collab-etl/contract/compare-bytes'
import fc from 'fast-check'
import type { BackupRows, SourceRow } from '../src/source/backup-rows.ts'
import { id, title } from './hostile-records.ts'
import { eventRow, fileRow, handMadeSource, projectRow, taskRow } from './rows.ts'

/** What a script sets that runs. */
const RUN = "document.documentElement.dataset.ran='yes'"

const WEB = 'http://collab-etl.invalid'

/** Parts of markup: any of them may follow another. */
const MARKUP = [
  ...[
    `<script>${RUN}</script>`,
    `<img src=x onerror="${RUN}">`,
    `<svg onload="${RUN}">`,
    `<iframe src=${WEB}></iframe>`,
  ],
  ...[
    '"',
    "'",
    '>',
    '<',
    '--><!--',
    '</script>',
    '</title>',
    '</style>',
    '</bdi></a>',
    ']]>',
    '&quot;',
    '&#60;',
    '`',
    '\\',
  ],
  ...[
    '\n---\n',
    '\n# ',
    '\n- [x] ',
    '\n```\n',
    '[x](javascript:',
    `javascript:${RUN}`,
    '\u2028',
    "'),",
    '__proto__',
    '{{',
    '${',
  ],
  ...[
    `<a href="javascript:${RUN}">`,
    `<base href="${WEB}/">`,
    `<link rel=stylesheet href="${WEB}/l.css">`,
    '<style>*{display:none}',
  ],
]

const markup = fc.array(fc.constantFrom(...MARKUP), { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''))
const text = fc.oneof(title, markup)
const line = text.map((value) => value ?? '')
const time = fc.constantFrom(
  null,
  '2023-12-31T23:59:59.999Z',
  '2024-05-01T09:00:00.000Z',
  '-000044-03-15T09:00:00.000Z',
)
const startsAt = fc.constantFrom('2024-05-01T09:00:00.000Z', '2025-01-01T00:00:00.000Z', '+012024-05-01T09:00:00.000Z')

const task = fc.record({
  ...{ tid: id, name: text, description: line, archived: fc.boolean(), completed: fc.boolean() },
  ...{ created_at: time, updated_at: time, group: fc.nat(5), person: fc.nat(5), label: line, todo: line, note: line },
})
const event = fc.record({
  event_id: id,
  starts_at: startsAt,
  name: text,
  summary: line,
  location: line,
  person: fc.nat(5),
})
const file = fc.record({
  fid: id,
  name: text,
  description: line,
  path: line,
  folder: fc.nat(5),
  type: fc.nat(1),
  person: fc.nat(5),
})
const person = fc.record({ uid: id, name: text, display_name: text, description: line })

/** Tasks, groups, labels, events, files and people of one project, with any texts. */
export const workspace = fc
  .record({
    ...{ pid: id, name: text, about: line, label: line },
    groups: fc.uniqueArray(fc.record({ entry_id: id, name: text }), {
      maxLength: 4,
      selector: (group) => group.entry_id,
    }),
    people: fc.uniqueArray(person, { maxLength: 4, selector: ({ uid }) => uid }),
    tasks: fc.uniqueArray(task, { maxLength: 8, selector: ({ tid }) => tid }),
    events: fc.uniqueArray(event, { maxLength: 4, selector: ({ event_id }) => event_id }),
    files: fc.uniqueArray(file, { maxLength: 4, selector: ({ fid }) => fid }),
  })
  .map((held) => ({ pid: held.pid, source: () => sourceOf(held) }))

interface HeldTexts {
  readonly pid: string
  readonly name: string | null
  readonly about: string
  readonly label: string
  readonly groups: readonly { readonly entry_id: string; readonly name: string | null }[]
  readonly people: readonly ({ readonly uid: string } & SourceRow)[]
  readonly tasks: readonly ({ readonly tid: string; readonly group: number; readonly person: number } & SourceRow)[]
  readonly events: readonly ({
    readonly event_id: string
    readonly starts_at: string
    readonly person: number
  } & SourceRow)[]
  readonly files: readonly ({ readonly fid: string; readonly folder: number; readonly person: number } & SourceRow)[]
}

function sourceOf(held: HeldTexts): BackupRows {
  const { pid } = held
  const by = (key: string) => (a: SourceRow, b: SourceRow) => compareBytes(String(a[key]), String(b[key]))
  const uidOf = (index: number) => held.people[index]?.uid ?? 'unknown'
  const tasks = held.tasks.toSorted(by('tid'))
  const events = held.events.toSorted(by('event_id'))
  const of = (make: (row: (typeof tasks)[number]) => SourceRow) =>
    tasks.map((row) => ({ pid, tid: row.tid, ...make(row) }))
  return handMadeSource({
    tables: {
      projects: [projectRow(pid, held.name, { description: held.about })],
      project_labels: [{ pid, name: held.label, description: held.about }],
      users: held.people.toSorted(by('uid')),
      entries: held.groups.toSorted(by('entry_id')).map((group) => ({ pid, ...group })),
      tasks: tasks.map(({ tid, name, description, archived, completed, created_at, updated_at, group }) =>
        taskRow(pid, tid, name as string | null, {
          ...{ description, archived, completed, created_at, updated_at },
          entry_id: group === 5 ? 'gone' : (held.groups[group]?.entry_id ?? null),
        }),
      ),
      task_labels: of(({ label, note }) => ({ name: label, description: note })),
      task_todos: of(({ todo }) => ({ todo_id: 'd', name: todo, checked: true, position: 1 })),
      task_members: of(({ person: index }) => ({ uid: uidOf(index) })),
      events: events.map(({ event_id, starts_at, name, summary, location }) =>
        eventRow(pid, event_id, starts_at, name as string | null, { summary, location }),
      ),
      event_attendees: events.map(({ event_id, starts_at, person: index }) => ({
        pid,
        event_id,
        starts_at,
        uid: uidOf(index),
      })),
      files: held.files.toSorted(by('fid')).map(({ fid, name, description, path, folder, type, person: index }) =>
        fileRow(pid, fid, name as string | null, {
          ...{ description, path, type, owner_uid: uidOf(index), folder_id: held.files[folder]?.fid ?? null },
        }),
      ),
    },
  })
}
