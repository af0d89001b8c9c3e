import type { SourceRow } from '../src/source/backup-rows.ts'
import { commentRow, eventRow, fileRow, handMadeSource, pageRow, postRow } from './rows.ts'
import { taskTables } from './task-rows.ts'

const LONG = 'W'.repeat(480)
const CONTROLS = 'ctl \u0001\u0007\u001b[31m\u007f\u0085\ufffe end'
const MARKUP = '<script>alert(1)</script> & "quotes" \'single\' ]]> --> مرحبا'
const CONTENT = `${CONTROLS}\n\n| a | b |\n|:--|--:|\n| ${LONG} | 2 |\n\n[top](#top) ${LONG}\n\n<center><font color=red>c</font></center><p align=right bgcolor=red>r</p>\n\n\`\`\`\n${CONTROLS}\n\`\`\`\n`

/** Some of everything, with texts that are long, unbroken, from right to left, or no texts at all. */
export function nastySource() {
  const changed = (row: SourceRow, index: number): SourceRow => ({
    ...row,
    name: [LONG, MARKUP, CONTROLS, '国际化'.repeat(90), ''][index % 5],
    description: index === 4 ? CONTENT : CONTROLS,
  })
  const { task_labels: labels, project_labels: ofProject, ...tables } = taskTables(30, changed)
  return handMadeSource({
    tables: {
      ...tables,
      users: tables.users.map((user, index) => ({ ...user, name: [LONG, CONTROLS, '\u0001'][index] })),
      entries: tables.entries.map((entry) => ({ ...entry, name: LONG })),
      project_labels: [...ofProject, { pid: 'P1', name: 'L'.repeat(500), description: CONTROLS }],
      task_labels: labels.map((label, index) => ({ ...label, description: [LONG, CONTROLS, MARKUP][index % 3] })),
      pages: [
        pageRow('P1', 'a1', LONG, { owner_uid: 'u1', content: CONTENT }),
        pageRow('P1', 'a2', MARKUP, { parent_id: 'a1', content: '[up](/pages/a1#top)' }),
      ],
      posts: [postRow('P1', '1', LONG, { owner_uid: 'u2', content: CONTENT }), postRow('P1', '2', '\u0001')],
      post_comments: [commentRow('P1', '1', 'c1', { raw_message: CONTENT, owner_uid: 'u1' })],
      events: [
        eventRow('P1', 'v1', '2024-05-01T09:00:00.000Z', LONG, {
          location: LONG,
          description: CONTROLS,
          recurrence: 2,
        }),
      ],
      event_attendees: [{ pid: 'P1', event_id: 'v1', starts_at: '2024-05-01T09:00:00.000Z', uid: 'u1' }],
      files: [fileRow('P1', 'f1', `${LONG}.pdf`, { size_bytes: 9_007_199n, description: CONTENT, owner_uid: 'u1' })],
    },
  })
}
