import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scratch } from '@collab-etl/harness/scratch'
import { expect, test } from 'vitest'
import { linesOf } from '../src/plain-file.ts'

test.each([
  ['lines longer than what is read at once', [`a${'é'.repeat(400_000)}\n`, `${'😀'.repeat(200_001)}\n`, 'b\n']],
  ['empty lines and a last one without a line feed', ['\n', '\n', 'a\n', '\n', 'b']],
  ['other ends of lines and byte order marks', ['\uFEFFa\r\n', 'b\rc\u2028d\u0085\n', '\uFEFFe\n']],
  ['no line', []],
])('the lines of a file: %s', async (_what, lines) => {
  const path = join(await scratch(), 'lines')
  await writeFile(path, lines.join(''))
  const found: string[] = []
  for await (const line of linesOf(path)) found.push(line)
  expect(found).toEqual(lines)
})
