import { readMarkdownFile } from '@collab-etl/backups/read'
import { scratch } from '@collab-etl/harness/scratch'
import { filesOf } from '@collab-etl/harness/trees'
import { expect, test } from 'vitest'
import { writeBag } from './backup-in.ts'
import { compared } from './diff-of.ts'
import { commentRow, handMadeSource, postRow, projectRow } from './rows.ts'

const PATH = 'data/markdown/one--p1/posts/post--1.md'

const END_OF_HTML = '<!-- ?> ]]> --></script></style></textarea></pre>'

async function backedUp(content: string, raw_message = 'x'): Promise<string> {
  const bag = await scratch()
  const tables = {
    projects: [projectRow('p1', 'One')],
    posts: [postRow('p1', '1', 'Post', { content })],
    post_comments: [commentRow('p1', '1', 'c1', { raw_message })],
  }
  await writeBag(bag, handMadeSource({ tables }), { formats: new Set(['markdown']) })
  return bag
}

test.each([
  ['```js\ncode', '\n```'],
  ['<!-- note', '\n-->'],
  ['<script>\n\nx', '\n</script></style></textarea></pre>'],
  ['\uFEFF<pre>\r\n', `\n${END_OF_HTML}`],
  ['a\n2. ~~~\n   ~~~', `\n\n<!--\n~~~\n<!-- -->\n${END_OF_HTML}`],
  ['', ''],
  [`${'['.repeat(20_000)}文${'&amp;'.repeat(90_000)}\n\n\`\`\`\n`, '```'],
  [`${'> '.repeat(5_000)}x\n\n<!-- x\n`, '-->'],
])('a post is read back as it was, also if it leaves something open: %#', async (content, closing) => {
  const bag = await backedUp(content)
  const file = await readMarkdownFile(bag, PATH)
  expect(file).toMatchObject({ content, closing })
  expect(file.rest).toMatch(/^\n\n<!-- collab-export: comments -->\n/)
  const text = (await filesOf(bag)).get(PATH) ?? ''
  expect(text.endsWith(content + closing + file.rest)).toBe(true)
})

test('a block that a comment leaves open is closed before the next line of the backup', async () => {
  const { rest } = await readMarkdownFile(await backedUp('x', '```\ncode'), PATH)
  expect(rest).toMatch(/\n```\ncode\n```\n$/)
})

test('content that leaves a block open does not change its comments', async () => {
  const { changes } = await compared(await backedUp('x'), await backedUp('```\nx'))
  expect(changes).toMatchObject([{ id: '1', changes: ['changed'], fields: ['content'] }])
})
