import { filesOf } from '@collab-etl/harness/trees'
import { expect, test } from 'vitest'
import { useSite, writeSite } from './html-site.ts'
import { fileRow, handMadeSource, pageRow, projectRow } from './rows.ts'
import { workspace } from './workspace-source.ts'

const PROJECT = 'many~1--P1'
const writtenSite = useSite(() => workspace())

/** The text of a page without its markup. */
function textOf(page: string | undefined): string {
  return (page ?? '')
    .replace(/<script>[\s\S]*?<\/script>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
}

test('events are in the page of their year, with recurrence in words, place, attendees and text', async () => {
  const files = await filesOf((await writtenSite()).site)
  const text = textOf(files.get(`${PROJECT}/events-2024.html`))
  for (const part of [
    'May 2024',
    '2024-05-01 09:00 UTC',
    '10:30 UTC',
    'Talk every week',
    'Room 1',
    'Zoë',
    'Bring tea .',
  ]) {
    expect(text).toContain(part)
  }
  expect(textOf(files.get(`${PROJECT}/events.html`))).toMatch(/2 events .* 2025 1 event January 1 2024 1 event May 1/)
  expect(files.get(`${PROJECT}/events.ics`)?.match(/BEGIN:VEVENT/g)).toHaveLength(2)
})

test('files are listed by folder, with size, uploader, comments and where they are referenced', async () => {
  const files = await filesOf((await writtenSite()).site)
  const page = files.get(`${PROJECT}/files.html`)
  const text = textOf(page)
  expect(text).toMatch(/1 file 1 folder .* not their bytes/)
  expect(text).toMatch(
    /Top folder .* Drafts folder .* Drafts .* plan\.pdf The plan\. 1 comment 李雷 .* Looks good 9\.0 MB Ann .* Launch/,
  )
  expect(page).toContain('href="posts/launch--1.html"')
})

test('of the pages that name a file, 20 are listed and the others counted', async () => {
  const pages = Array.from({ length: 23 }, (_, at) => pageRow('P1', `n${at}`, `N${at}`, { content: '[f](/files/f1)' }))
  const tables = { projects: [projectRow('P1', 'Many')], pages, files: [fileRow('P1', 'f1', 'plan.pdf')] }
  const page = (await filesOf((await writeSite(handMadeSource({ tables }))).site)).get(`${PROJECT}/files.html`)
  expect(page?.match(/href="pages\//g)).toHaveLength(20)
  expect(textOf(page)).toContain('and 3 more')
})

test('a person has a page in each of their projects, and one that leads to them', async () => {
  const files = await filesOf((await writtenSite()).site)
  const ann = textOf(files.get(`${PROJECT}/people/ann--u1.html`))
  expect(ann).toMatch(/5 done tasks 1 page in all projects/)
  expect(ann).toMatch(/Pages 1 Guide/)
  const everywhere = files.get('people/ann--u1.html')
  expect(everywhere).toContain(`href="../${PROJECT}/people/ann--u1.html"`)
  expect(textOf(everywhere)).toMatch(/Many 5 done tasks 1 page Second 1 page/)
  expect(textOf(files.get(`${PROJECT}/people/zoë--u3.html`))).toMatch(/Events 1 Talk 2024-05-01/)
  expect(textOf(files.get('people/idle--u9.html'))).toMatch(/idle one .* On leave No task/)
  const index = textOf(files.get('people.html'))
  expect(index).toMatch(
    /4 people .* Ann 2 projects 5 done tasks 2 pages I Idle Idle Z Zoë Zoë 1 project 5 open tasks 1 event/,
  )
  expect(files.get(`${PROJECT}/pages/guide--a1.html`)).toContain('href="../../people/ann--u1.html"')
  expect(files.get('assets/projects.js')).toContain('"folder":"people"')
})
