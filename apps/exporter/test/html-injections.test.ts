import { NO_CHROMIUM } from '@collab-etl/harness/chromium'
import { everyNth } from '@collab-etl/harness/thorough'
import { filesOf } from '@collab-etl/harness/trees'
import { expect, test } from 'vitest'
import { openSite } from './chromium.ts'
import { useSite } from './html-site.ts'
import { commentRow, eventRow, fileRow, handMadeSource, pageRow, postRow, projectRow, taskRow } from './rows.ts'

const RUN = "document.documentElement.dataset.ran='yes'"
const WEB = 'http://collab-etl.invalid'

/** A script that runs sets a mark on the page; a file that is loaded requests an unknown host. */
const INJECTIONS = [
  `<script>${RUN}</script>`,
  `<script src="${WEB}/a.js"></script><script src="data:text/javascript,${RUN}"></script>`,
  `<img src=x onerror="${RUN}"><img src="${WEB}/a.png" srcset="${WEB}/b.png 2x">`,
  `<svg onload="${RUN}"><script>${RUN}</script><image href="${WEB}/c.png"/><animate onbegin="${RUN}" attributeName=x dur=1s></svg>`,
  `<math><mtext><table><mglyph><style><img src=x onerror="${RUN}"></style></mglyph></table></mtext></math>`,
  `<iframe src="javascript:${RUN}"></iframe><iframe srcdoc="<script>parent.${RUN}</script>"></iframe>`,
  `<object data="${WEB}/o.swf"></object><embed src="${WEB}/e.swf"><video src="${WEB}/v.mp4" autoplay onloadstart="${RUN}"></video>`,
  `<style>@import url(${WEB}/s.css); body{background:url(${WEB}/bg.png);display:none}</style><link rel=stylesheet href="${WEB}/l.css">`,
  `<p style="position:fixed;inset:0;background:url(${WEB}/p.png)">over everything</p>`,
  `<form action="${WEB}/f"><input autofocus onfocus="${RUN}"><button formaction="javascript:${RUN}">press</button></form>`,
  `<meta http-equiv=refresh content="0;url=${WEB}/m"><base href="${WEB}/">`,
  `<a href="javascript:${RUN}">js</a> <a href=" java&#10;script:${RUN}">js2</a> <a href="data:text/html,<script>${RUN}</script>">data</a> <a href="vbscript:x">vb</a>`,
  `<details open ontoggle="${RUN}"><summary>x</summary></details><marquee onstart="${RUN}">m</marquee>`,
  `<div id="main" class="bar" name="x">posing</div><a id="results" name="collabSearch">clobbering</a>`,
  `</div></article></main><script>${RUN}</script><!-- <script>${RUN}</script> --><![CDATA[<script>${RUN}</script>]]>`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>"></noscript><textarea><script>${RUN}</script></textarea>`,
  `[md](javascript:${RUN}) ![md](${WEB}/i.png) ![d](data:image/svg+xml,<svg/onload=${RUN}>) <javascript:${RUN}>`,
  `[ref]\n\n[ref]: javascript:${RUN}\n\n[x](//collab-etl.invalid/y)`,
  `\`\`\`"><script>${RUN}</script>\ncode\n\`\`\``,
  `~~~html\n<script>${RUN}</script></code></pre><img src=x onerror="${RUN}"><style>@import url(${WEB}/h.css)</style>\n~~~`,
  `~~~js"onload="${RUN}\n"</span><script>${RUN}</script>" + \`\${/<img src=x onerror=${RUN}>/}\`\n~~~`,
]

/** For places that hold one line of text. */
const LINE = `"'><script>${RUN}</script><img src=x onerror="${RUN}">&lt;b&gt;\u202etxet`

const TASK = { pid: 'P1', tid: 't1' }
const STARTS = '2024-05-01T09:00:00.000Z'

const hostileSite = useSite(() => {
  const everything = INJECTIONS.join('\n\n')
  return handMadeSource({
    tables: {
      projects: [projectRow('P1', LINE, { description: LINE })],
      project_labels: [{ pid: 'P1', name: LINE, description: LINE }],
      users: [{ uid: 'u1', name: LINE, display_name: LINE, description: LINE }],
      pages: [
        pageRow('P1', 'all', LINE, { content: everything, created_at: LINE, updated_at: `2024-01-01T00:00${LINE}` }),
        ...INJECTIONS.map((content, index) => pageRow('P1', `i${index + 10}`, `<i>${index}</i>`, { content })),
      ],
      page_watchers: [{ pid: 'P1', page_id: 'all', uid: 'u1' }],
      posts: [postRow('P1', '"><script>', LINE, { content: everything })],
      post_comments: [
        commentRow('P1', '"><script>', LINE, { raw_message: everything, owner_uid: 'u1', created_at: LINE }),
        ...INJECTIONS.map((text, index) =>
          commentRow('P1', '"><script>', `c${index}`, { raw_message: null, message: text }),
        ),
      ].sort((a, b) => (String(a['cid']) < String(b['cid']) ? -1 : 1)),
      entries: [{ pid: 'P1', entry_id: LINE, name: LINE }],
      tasks: [
        taskRow('P1', 't1', LINE, { entry_id: LINE, description: everything, due_at: '2023-01-01T00:00:00.000Z' }),
        taskRow('P1', 't2', "</script><script>\u2028'),", { archived: true }),
      ],
      task_labels: [{ ...TASK, name: LINE, description: LINE }],
      task_todos: [{ ...TASK, todo_id: LINE, name: LINE, checked: false, position: 1 }],
      task_members: [{ ...TASK, uid: 'u1' }],
      events: [eventRow('P1', LINE, STARTS, LINE, { summary: everything, location: LINE, email: LINE })],
      event_attendees: [{ pid: 'P1', event_id: LINE, starts_at: STARTS, uid: 'u1' }],
      files: [fileRow('P1', LINE, LINE, { description: everything, path: LINE, folder_id: LINE })],
      file_comments: [{ pid: 'P1', fid: LINE, cid: LINE, raw_message: everything, type: 1, owner_uid: LINE }],
      comment_files: [{ pid: 'P1', parent_kind: 'post', parent_id: '"><script>', cid: LINE, fid: LINE, name: LINE }],
    },
  })
})

test.skipIf(NO_CHROMIUM)('no text or name of any record runs, loads, or leaves', { tags: 'thorough' }, async () => {
  const { site } = await hostileSite()
  const { page, open, requests, complaints } = await openSite(site)
  const paths = [...(await filesOf(site)).keys()].filter((path) => path.endsWith('.html'))
  expect(paths.length).toBeGreaterThan(INJECTIONS.length + 10)
  const [ofOne, ofMany] = [true, false].map((isOfOne) => paths.filter((path) => /--i\d+\.html$/.test(path) === isOfOne))
  expect(ofOne).toHaveLength(INJECTIONS.length)
  for (const path of [...(ofMany ?? []), ...everyNth(ofOne ?? [], 8)]) {
    await open(path)
    // What an event would have to wait for.
    await page.evaluate(`for (const summary of document.querySelectorAll('.text summary')) summary.click()`)
    expect(await page.evaluate('document.documentElement.dataset.ran ?? null'), path).toBeNull()
    expect(page.url()).toContain(encodeURI(path.slice(path.lastIndexOf('/') + 1)).slice(0, 8))
    const forbidden =
      'script, style, iframe, svg, math, form, button, meta, base, link, img, video, object, embed, [style], [id=main], [id=results]'
    expect(await page.locator('.text').locator(forbidden).count(), path).toBe(0)
  }
  expect(requests.filter((url) => !url.startsWith('file:'))).toEqual([])
  // Not even the security policy had to keep anything from happening.
  expect(complaints).toEqual([])
})

test.skipIf(NO_CHROMIUM)('nor does it in the results of the search', async () => {
  const { site } = await hostileSite()
  const { page, open, requests, complaints } = await openSite(site)
  await open('index.html')
  await page.getByRole('combobox', { name: 'Search' }).fill('onerror')
  await page.locator('#results').getByRole('option').first().waitFor()
  await page.locator('.excerpt mark').first().waitFor()
  expect(await page.evaluate('document.documentElement.dataset.ran ?? null')).toBeNull()
  expect(await page.locator('#results script, #results img').count()).toBe(0)
  expect(requests.filter((url) => !url.startsWith('file:'))).toEqual([])
  expect(complaints).toEqual([])
})

test.skipIf(NO_CHROMIUM)(
  'even if something came through, the security policy of the page keeps it from running',
  async () => {
    const { site } = await hostileSite()
    const { page, open, complaints } = await openSite(site)
    const ended: (string | null)[] = []
    page.on('requestfinished', (request) => ended.push(request.url()))
    page.on('requestfailed', (request) => ended.push(request.failure()?.errorText ?? null))
    await open('index.html')
    await page.evaluate(
      `document.querySelector('main').innerHTML = ${JSON.stringify(INJECTIONS.filter((text) => !text.includes('refresh')).join(''))}`,
    )
    await expect.poll(() => complaints.length).toBeGreaterThan(3)
    expect(await page.evaluate('document.documentElement.dataset.ran ?? null')).toBeNull()
    // What was begun was refused before it left.
    expect(ended.filter((end) => end !== 'csp' && !end?.startsWith('file:'))).toEqual([])
  },
)
