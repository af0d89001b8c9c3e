import { expect, test } from 'vitest'
import { onBackendsInTurn } from './support/backends.ts'
import { page, post, task } from './support/records.ts'
import { batch, feed, inRun, LIMITS, live } from './support/snapshot.ts'

/** So large that a few of them are copied at once. */
const LONG = 'x'.repeat(400_000)
const IDS = Array.from({ length: 40 }, (_, index) => `id${String(index).padStart(2, '0')}`)

onBackendsInTurn('streams that write at once', (backend) => {
  test('lose no rows, though several of them wait for the same COPY', async () => {
    const warehouse = await backend.warehouse()
    const pages = { batches: IDS.map((id) => batch('page', [page(id, { content: LONG })])) }
    const posts = { batches: IDS.map((id) => batch('post', [post(id, { content: LONG })])) }
    const tasks = { batches: IDS.map((id) => batch('task', [task(id, { desc: LONG })])) }
    await inRun(warehouse, async (run) => {
      const stage = await run.stage('p1')
      await Promise.all([{ pages }, { posts }, { tasks }].map((streams) => feed(stage, 'p1', streams)))
      await stage.publish(LIMITS)
    })
    expect((await live(warehouse, 'pages', ['page_id'])).map((row) => row['page_id'])).toEqual(IDS)
    expect((await live(warehouse, 'posts', ['post_id'])).map((row) => row['post_id'])).toEqual(IDS)
    expect((await live(warehouse, 'tasks', ['tid'])).map((row) => row['tid'])).toEqual(IDS)
  })
})
