import { commentRow, eventRow, fileRow, handMadeSource, pageRow, postRow, projectRow, taskRow } from './rows.ts'

const onPost = { pid: 'P1', parent_kind: 'post', parent_id: '1' } as const

/** Two small projects with what is hard: trees, orphans, circles, links of all kinds, formulas, odd ids and titles. */
export function goldenSource() {
  return handMadeSource({
    tables: {
      projects: [
        projectRow('P1', 'Road Map', { description: 'Where we go.\n\n# really', archived: true, position: 1.5 }),
        projectRow('p2', '产品 & <Design>', { extra: { b: 1, a: [true] } }),
      ],
      project_labels: [
        { pid: 'P1', name: 'blue', description: null },
        { pid: 'P1', name: 'red', description: 'urgent *now*' },
      ],
      users: [
        { uid: 'u1', name: 'Ann', display_name: '@ann', description: '', status: 1, online: 0 },
        { uid: 'u2', name: '李雷', status: 2, extra: { mail: '=cmd' } },
      ],
      pages: [
        pageRow('P1', 'a1', 'Guide', {
          content: [
            'See [intro](/projects/P1/pages/b2), [post](http://x.example/posts/1#c9 "t"), [other](../../project/p2/page/c3),',
            'http://x.example/pages/b2 and <http://x.example/pages/zz>, [d], ![i](/pages/b2), `[c](/pages/b2)`.',
            '',
            '[d]: </projects/p2/pages/c3?from=mail>\r\n\ttabs and \\r stay  ',
          ].join('\n'),
        }),
        pageRow('P1', 'b2', '=Intro', {
          parent_id: 'a1',
          content:
            '[up](/pages/a1), <a href="/pages/gone">gone</a>, [next](/projects/p2), [none](http://localhost/projects/p3)',
        }),
        pageRow('P1', 'b3', '=Intro', { parent_id: 'a1', content: null, summary: 'only a summary', owner_uid: null }),
        pageRow('P1', 'lost', 'Orphan', { parent_id: 'gone' }),
        pageRow('P1', 'x1', 'Circle', { parent_id: 'x2' }),
        pageRow('P1', 'x2', 'Circle', { parent_id: 'x1', content: '' }),
        pageRow('p2', 'c3', null, { content: null, created_at: null, updated_at: null }),
      ],
      page_watchers: [
        { pid: 'P1', page_id: 'a0', uid: 'u2' },
        { pid: 'P1', page_id: 'a1', uid: 'u1' },
        { pid: 'P1', page_id: 'a1', uid: 'u3' },
        { pid: 'P1', page_id: 'x2', uid: 'u2' },
      ],
      posts: [
        postRow('P1', '1', 'Launch: ready?', {
          content: 'Yes.\n\n[guide](/pages/a1) [a file](/files/f5) [gone](/files/f8)',
        }),
        postRow('P1', '2', 'Quiet', {
          content: '<p>\n  <a href="/project/P1/page/a1">guide</a> <a href="/projects/P1">all</a>\n</p>',
        }),
      ],
      post_watchers: [{ pid: 'P1', post_id: '2', uid: 'u2' }],
      post_comments: [
        commentRow('P1', '1', 'c1', {
          created_at: '2024-03-02T00:00:00.000Z',
          raw_message: 'later, see [x](/pages/x1)',
        }),
        commentRow('P1', '1', 'c2', { raw_message: null, message: '-1' }),
        commentRow('P1', '1', 'c3', { type: 3, created_at: null, owner_uid: 'u9' }),
      ],
      comment_files: [
        { ...onPost, cid: 'c1', fid: 'f1', name: 'plan [v2].pdf', size_bytes: 1200, path: '/a', extra: { pages: 2 } },
        { ...onPost, cid: 'c1', fid: 'f2', name: null },
        // a comment of a file may have the same id as a comment of a post
        { pid: 'P1', parent_kind: 'file', parent_id: 'f9', cid: 'c1', fid: 'f3', name: 'elsewhere' },
        { ...onPost, parent_id: '2', cid: 'c1', fid: 'f4', name: 'of another post' },
      ],
      entries: [
        { pid: 'P1', entry_id: 'e1', name: '+Doing' },
        { pid: 'p2', entry_id: 'e1', name: null },
      ],
      tasks: [
        taskRow('P1', 't1', '=HYPERLINK("http://x")', {
          description: '# Heading\n\n[guide](/pages/a1), [gone](/pages/zz)\n\n```\nan open fence',
          entry_id: 'e1',
          todo_count: 2,
          extra: { b: 1, a: '-' },
        }),
        taskRow('P1', 't2', 'Two\r\nlines', { completed: true, archived: true, position: null }),
        taskRow('p2', 't1', null, { entry_id: 'e1', due_at: null }),
      ],
      task_labels: [
        { pid: 'P1', tid: 't1', name: 'blue', description: 'a,b;c\td' },
        { pid: 'P1', tid: 't1', name: 'red', description: '' },
      ],
      task_todos: [
        { pid: 'P1', tid: 't1', todo_id: 'd1', name: '-1', checked: true, position: 2.5 },
        { pid: 'P1', tid: 't1', todo_id: 'd2', name: null, checked: false, position: 1 },
        { pid: 'p2', tid: 't1', todo_id: 'd1', name: 'elsewhere', checked: false, position: 1 },
      ],
      task_members: [{ pid: 'P1', tid: 't2', uid: 'u1' }],
      events: [
        eventRow('P1', 'v1', '2024-05-01T09:00:00.000Z', 'Talk', { recurrence: 2, location: '@home' }),
        eventRow('P1', 'v1', '2024-05-08T09:00:00.000Z', 'Talk', { recurrence: 2 }),
      ],
      event_attendees: [
        { pid: 'P1', event_id: 'v1', starts_at: '2024-05-01T09:00:00.000Z', uid: 'u1' },
        { pid: 'P1', event_id: 'v1', starts_at: '2024-05-08T09:00:00.000Z', uid: 'u1' },
        { pid: 'P1', event_id: 'v1', starts_at: '2024-05-08T09:00:00.000Z', uid: 'u2' },
      ],
      files: [
        fileRow('P1', 'd1', 'Plans', { type: 1, folder_id: 'd2' }),
        fileRow('P1', 'd2', '# Docs', { type: 1, owner_uid: null }),
        fileRow('P1', 'f1', 'plan [v2].pdf', { size_bytes: '9007199254740993', folder_id: 'f0' }),
        fileRow('P1', 'f5', '<b>a.png', { size_bytes: '532', folder_id: 'd1', description: 'see [guide](/pages/a1)' }),
        fileRow('P1', 'f9', null, { size_bytes: null, path: '/x' }),
      ],
      file_comments: [{ ...commentRow('P1', '1', 'c1'), fid: 'f9', raw_message: '# hm' }],
    },
    scopes: [
      {
        pid: 'p2',
        stream: 'posts',
        status: 'failed',
        error: { code: '900004', message: 'getting post detail failed' },
      },
      { pid: 'P1', stream: 'pages', status: 'complete', error: null },
      { pid: 'P1', stream: 'projects', status: 'complete', error: null },
    ],
    losses: [
      { pid: 'P1', stream: 'pages', record_key: 'b3', field: 'content', kind: 'missing', original: null },
      { pid: 'P1', stream: 'pages', record_key: 'a1', field: 'name', kind: 'coerced', original: '1' },
    ],
  })
}
