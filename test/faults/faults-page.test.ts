import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const PAGE = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')

/** A title: the first argument of `fault` or `nightFault`, or the `title` in a table of faults. */
const TITLE = /(?:\b(?:fault|nightFault)\(\s*|\btitle: )'((?:[^'\\]|\\.)*)'/g

function titlesIn(category: string): string[] {
  return globSync(join(import.meta.dirname, category, '*.ts')).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(TITLE)].map(([, title = '']) => title.replaceAll("\\'", "'")),
  )
}

test.each(['service', 'database', 'machine', 'security'])(
  'test/faults/README.md lists the faults of %s',
  (category) => {
    const [, after = ''] = PAGE.split(new RegExp(`^## ${category}$`, 'im'))
    const [section = ''] = after.split(/^## /m)
    const listed = [...section.matchAll(/^- (.*)$/gm)].map(([, line = '']) => line)
    const titles = titlesIn(category)
    expect(listed.toSorted()).toEqual(titles.toSorted())
    expect(titles.filter((title) => title.length > 100)).toEqual([])
  },
)
