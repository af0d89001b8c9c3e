import { NO_CHROMIUM, useChromium } from '@collab-etl/harness/chromium'
import { filesOf } from '@collab-etl/harness/trees'
import { expect, test } from 'vitest'
import { openSite } from './chromium.ts'
import { writeSite } from './html-site.ts'
import { eventRow, fileRow, handMadeSource, projectRow, taskRow } from './rows.ts'

useChromium()

const RUN = "document.documentElement.dataset.ran='yes'"
const WEB = 'http://collab-etl.invalid'

/** A script that runs sets a mark on the page; a file that is loaded requests an unknown host. */
const HOSTILE = [
  `"'><script>${RUN}</script><img src=x onerror="${RUN}">`,
  `</script><script>${RUN}</script>\u2028'),${RUN},('`,
  `\\'),${RUN}//<svg onload="${RUN}">\u202etxet`,
  `javascript:${RUN}#"><iframe src=${WEB}></iframe>`,
  '__proto__',
  '../../../etc/passwd%00<b>',
]

const hostile = () => {
  const ids = HOSTILE.toSorted((a, b) => (a < b ? -1 : 1))
  const all = `${HOSTILE.join('\n\n')}\n\n[x](javascript:${RUN})`
  const of = (make: (text: string, index: number) => Record<string, unknown>) =>
    ids.map((text, index) => ({ pid: 'P1', ...make(text, index) }))
  return handMadeSource({
    tables: {
      projects: [projectRow('P1', 'One', { description: all })],
      project_labels: of((name) => ({ name, description: name })),
      users: ids.map((uid) => ({ uid, name: uid, display_name: uid, description: uid })),
      entries: of((entry_id) => ({ entry_id, name: entry_id })),
      tasks: ids.map((tid, index) =>
        taskRow('P1', tid, tid, {
          entry_id: tid,
          description: all,
          due_at: '2023-01-01T00:00:00.000Z',
          archived: index === 5,
        }),
      ),
      task_labels: of((name) => ({ tid: name, name, description: name })),
      task_todos: of((name) => ({ tid: name, todo_id: name, name, checked: false, position: 1 })),
      task_members: of((uid) => ({ tid: uid, uid })),
      events: ids.map((id) =>
        eventRow('P1', id, '2024-05-01T09:00:00.000Z', id, { summary: all, location: id, email: id }),
      ),
      event_attendees: of((uid) => ({ event_id: uid, starts_at: '2024-05-01T09:00:00.000Z', uid })),
      files: ids.map((fid) => fileRow('P1', fid, fid, { description: all, path: fid, folder_id: fid, owner_uid: fid })),
      file_comments: of((cid) => ({ fid: cid, cid, raw_message: all, type: 1, owner_uid: cid, created_at: cid })),
    },
  })
}

test.skipIf(NO_CHROMIUM)(
  'no name of a task, label, group, event, file or person runs, even without the policy',
  async () => {
    const { site } = await writeSite(hostile())
    const { page, open, requests, complaints } = await openSite(site, { bypassCSP: true })
    const pages = [...(await filesOf(site)).keys()].filter((path) => path.endsWith('.html'))
    expect(pages.length).toBeGreaterThan(25)
    for (const path of pages) {
      await open(path)
      expect(await page.evaluate('document.documentElement.dataset.ran ?? null'), path).toBeNull()
      const forbidden =
        'main script, main style, iframe, svg, main img, main [style], main [onerror], a[href^="javascript:" i]'
      expect(await page.locator(forbidden).count(), path).toBe(0)
    }
    await open(pages.find((path) => path.endsWith('/tasks.html')) ?? '')
    const rows = page.locator('.rows:not([hidden]) tbody tr')
    await page.getByLabel('Due', { exact: true }).selectOption('overdue')
    await page.locator('.finder-status', { hasText: '5 of 5' }).waitFor()
    for (const text of HOSTILE.slice(0, 2)) {
      await page.getByLabel('Person', { exact: true }).selectOption(`=${text.toWellFormed()}`)
      await page.locator('.finder-status', { hasText: '1 of 5' }).waitFor()
      expect(await rows.count()).toBe(1)
    }
    expect(await page.evaluate('document.documentElement.dataset.ran ?? null')).toBeNull()
    expect(requests.filter((url) => !url.startsWith('file:'))).toEqual([])
    expect(complaints).toEqual([])
  },
)
