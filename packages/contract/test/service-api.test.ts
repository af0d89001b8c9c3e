import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { serviceApiDocument } from '../scripts/service-api.ts'

test('docs/dev/service-api.md is what `pnpm run docs` of the package writes', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../docs/dev/service-api.md'), 'utf8')
  expect(page).toBe(serviceApiDocument())
})
