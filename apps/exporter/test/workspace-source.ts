import { commentRow, eventRow, fileRow, handMadeSource, pageRow, postRow, projectRow } from './rows.ts'
import { taskTables } from './task-rows.ts'

/** Two projects with some of everything, and a person who has to do with none of it. */
export const workspace = () => {
  const tables = taskTables(30)
  return handMadeSource({
    tables: {
      ...tables,
      projects: [...tables.projects, projectRow('P2', 'Second')],
      users: [...tables.users, { uid: 'u9', name: 'Idle', display_name: 'idle one', description: 'On leave' }],
      pages: [pageRow('P1', 'a1', 'Guide', { owner_uid: 'u1' }), pageRow('P2', 'a2', 'Other', { owner_uid: 'u1' })],
      posts: [postRow('P1', '1', 'Launch', { owner_uid: 'u2' })],
      post_comments: [commentRow('P1', '1', 'c1')],
      comment_files: [{ pid: 'P1', parent_kind: 'post', parent_id: '1', cid: 'c1', fid: 'f1', name: 'plan.pdf' }],
      events: [
        eventRow('P1', 'v1', '2024-05-01T09:00:00.000Z', 'Talk', {
          ends_at: '2024-05-01T10:30:00.000Z',
          recurrence: 2,
          location: 'Room 1',
          summary: 'Bring **tea**.',
        }),
        eventRow('P1', 'v1', '2025-01-08T09:00:00.000Z', 'Talk', { recurrence: 2 }),
      ],
      event_attendees: [{ pid: 'P1', event_id: 'v1', starts_at: '2024-05-01T09:00:00.000Z', uid: 'u3' }],
      files: [
        fileRow('P1', 'f0', 'Drafts', { type: 1 }),
        fileRow('P1', 'f1', 'plan.pdf', { folder_id: 'f0', size_bytes: 9_007_199n, description: 'The plan.' }),
      ],
      file_comments: [
        { pid: 'P1', fid: 'f1', cid: 'c7', raw_message: 'Looks good', type: 1, owner_uid: 'u2', created_at: null },
      ],
    },
  })
}
