import type { SourceRow } from '../src/source/backup-rows.ts'
import { commentRow, handMadeSource, pageRow, postRow, projectRow } from './rows.ts'

const HANDBOOK = `# Handbook

How we build, test and ship. New here? Start with the [installation](/pages/a2), then read [the launch post](/posts/1).
Everything about Chinese text is in [产品手册](/projects/p2/pages/c1), the whole of it in [that project](/projects/p2).

## Principles

> Make it work, make it right, make it fast: in that order, and stop when it is enough.

1. Small changes, often
2. A test for each edge
   - [x] named for the edge
   - [ ] never timed
3. No surprises[^1]

[^1]: Not even on Fridays.

## A table

| Service | Owner | Latency p50 | Latency p99 | Notes that are long enough to make this table wider than a phone |
|---|---|--:|--:|---|
| Search | Ann | 12 ms | 80 ms | Indexed by night, served from memory, restarted never |
| Export | 李雷 | 40 ms | 1,200 ms | Reads everything; be kind to it |

## Code

\`\`\`ts
export async function retry<T>(attempts: number, work: () => Promise<T>, waitMs = 250): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try { return await work() } catch (error) { if (attempt === attempts) throw error }
  }
}
\`\`\`

### Details

Press <kbd>Ctrl</kbd> + <kbd>C</kbd>, or read <https://example.com/manual?x=1>. An image: ![the floor plan](https://example.com/plan.png).
See [below](#code), [gone](/pages/nowhere) and [a file](/files/f1).

<details><summary>More</summary>

Harmless **HTML** stays: H<sub>2</sub>O, <mark>marked</mark>.

</details>
`

const CHINESE = `# 产品手册

本手册介绍项目协作服务的**数据备份**与恢复流程。备份每天夜间自动进行，内容包括页面、帖子和评论。

## 全文检索

搜索支持中文词语，例如“数据库迁移”或“权限管理”。检索结果按相关程度排序，并显示上下文摘要。

## 常见问题

- 如何恢复单个页面？
- 附件是否包含在备份之中？
- 离线状态下能否阅读？可以：直接打开 \`index.html\` 即可。

返回[手册首页](/projects/P1/pages/a1)。
`

const LONG = 'W'.repeat(300)
const WIDE = `# ${LONG}\n\n\`${LONG}\` ${LONG}\n\n\`\`\`\n${LONG}\n\`\`\`\n\n| a |\n|---|\n| ${LONG} |\n\nhttps://example.com/${LONG}`

/** A site that people may like to read: a tree of pages, Chinese text, posts with comments, a project with nothing in it. */
export function htmlSource(more: readonly SourceRow[] = []) {
  const filler = Array.from({ length: 40 }, (_, index) =>
    pageRow('P1', `n${index + 100}`, `Note ${index + 100}`, {
      parent_id: 'a3',
      content: `Note number ${index}, kiwi${index}.`,
    }),
  )
  return handMadeSource({
    tables: {
      projects: [
        projectRow('P1', 'Road Map', { description: 'Where we go, and how we get there.', archived: true }),
        projectRow('p2', '产品 & <Design>', { description: '产品设计与文档。' }),
        projectRow('p3', 'Empty'),
      ],
      project_labels: [{ pid: 'P1', name: 'blue', description: 'calm' }],
      users: [
        { uid: 'u1', name: 'Ann' },
        { uid: 'u2', name: '李雷' },
      ],
      pages: [
        pageRow('P1', 'a1', 'Handbook', { content: HANDBOOK }),
        pageRow('P1', 'a2', 'Installation', {
          parent_id: 'a1',
          content: 'Download it, unpack it, run it. [Up](/pages/a1)',
        }),
        pageRow('P1', 'a3', 'Notes', { content: 'What was said in passing.' }),
        pageRow('P1', 'a4', 'Windows', { parent_id: 'a2', content: null, summary: 'Only a summary of the installer.' }),
        ...filler,
        pageRow('P1', 'w1', 'Wide', { content: WIDE }),
        pageRow('p2', 'c1', '产品手册', { content: CHINESE }),
        ...more,
      ],
      page_watchers: [{ pid: 'P1', page_id: 'a1', uid: 'u2' }],
      posts: [
        postRow('P1', '1', 'Launch: are we ready?', {
          content: 'We launch on **Monday**. The checklist is in the [handbook](/pages/a1#code).\n\nWho is missing?',
          updated_at: '2024-03-01T08:00:00.000Z',
        }),
        postRow('P1', '2', 'Quiet', { content: 'Nothing happened this week.' }),
      ],
      post_comments: [
        commentRow('P1', '1', 'c1', {
          created_at: '2024-03-02T10:30:00.000Z',
          raw_message: 'I am in.\nSee [the steps](/pages/a2), and bring `coffee`.',
        }),
        commentRow('P1', '1', 'c2', { raw_message: '我也参加。数据库已经准备好了。', owner_uid: 'u1' }),
        commentRow('P1', '1', 'c3', {
          type: 3,
          created_at: null,
          owner_uid: 'u9',
          raw_message: null,
          message: 'Recorded.',
        }),
      ],
      comment_files: [{ pid: 'P1', parent_kind: 'post', parent_id: '1', cid: 'c1', fid: 'f1', name: 'plan [v2].pdf' }],
    },
  })
}
